import { accessTokenRoutes } from './modules/access-tokens/access-tokens.routes.ts'
import { auditRoutes } from './modules/audit/audit.routes.ts'
import { environmentLegacyRoutes } from './modules/environments/environments.legacy-routes.ts'
import { environmentRoutes } from './modules/environments/environments.routes.ts'
import { groupMemberRoutes } from './modules/groups/group-members.routes.ts'
import { groupMembershipRoutes } from './modules/groups/group-memberships.routes.ts'
import { groupLegacyRoutes } from './modules/groups/groups.legacy-routes.ts'
import { groupRoutes } from './modules/groups/groups.routes.ts'
import { identityRoutes } from './modules/identities/identities.routes.ts'
import { organizationIdentityRoutes } from './modules/identities/organization-identities.routes.ts'
import { scopedIdentityRoutes } from './modules/identities/scoped-identities.routes.ts'
import { firstRunRoutes } from './modules/instance/first-run.routes.ts'
import { instanceRoutes } from './modules/instance/instance.routes.ts'
import { licenseRoutes } from './modules/licenses/licenses.routes.ts'
import { oidcAuthLoginRoutes } from './modules/oidc-auth/login.routes.ts'
import { oidcAuthRoutes } from './modules/oidc-auth/oidc-auth.routes.ts'
import { adminAccessRoutes } from './modules/memberships/admin-access.routes.ts'
import { projectGroupLegacyRoutes } from './modules/memberships/group-memberships.legacy-routes.ts'
import { projectGroupRoutes } from './modules/memberships/group-memberships.routes.ts'
import { heldPermissionRoutes } from './modules/memberships/held-permissions.routes.ts'
import { projectIdentityLegacyRoutes } from './modules/memberships/identity-memberships.legacy-routes.ts'
import { projectIdentityRoutes } from './modules/memberships/identity-memberships.routes.ts'
import { ownedIdentityRoutes } from './modules/memberships/owned-identities.routes.ts'
import { projectUserLegacyRoutes } from './modules/memberships/user-memberships.legacy-routes.ts'
import { projectUserRoutes } from './modules/memberships/user-memberships.routes.ts'
import { organizationMemberRoutes } from './modules/organizations/members.routes.ts'
import { organizationRoleRoutes } from './modules/organizations/organization-roles.routes.ts'
import { organizationRoutes } from './modules/organizations/organizations.routes.ts'
import { authorityLegacyRoutes } from './modules/pki/authorities/authorities.legacy-routes.ts'
import { authorityRoutes } from './modules/pki/authorities/authorities.routes.ts'
import { authorityCertificateLegacyRoutes } from './modules/pki/authorities/authority-certificates.legacy-routes.ts'
import { authorityCertificateRoutes } from './modules/pki/authorities/authority-certificates.routes.ts'
import { namedAuthorityLegacyRoutes } from './modules/pki/authorities/named-authorities.legacy-routes.ts'
import { certificateRequestRoutes } from './modules/pki/certificates/certificate-requests.routes.ts'
import { certificateRevocationRoutes } from './modules/pki/certificates/certificate-revocation.routes.ts'
import { certificateSearchRoutes } from './modules/pki/certificates/certificate-search.routes.ts'
import { certificateLegacyRoutes } from './modules/pki/certificates/certificates.legacy-routes.ts'
import { certificateRoutes } from './modules/pki/certificates/certificates.routes.ts'
import { issuanceRoutes } from './modules/pki/certificates/issuance.routes.ts'
import { profileCertificateRoutes } from './modules/pki/certificates/profile-certificates.routes.ts'
import { policyRoutes } from './modules/pki/policies/policies.routes.ts'
import { profileRoutes } from './modules/pki/profiles/profiles.routes.ts'
import { certManagerProjectRoutes } from './modules/pki/projects/cert-manager-projects.routes.ts'
import { ocspRoutes } from './modules/pki/revocation/ocsp.routes.ts'
import { publishedListLegacyRoutes } from './modules/pki/revocation/published-lists.legacy-routes.ts'
import { publishedListRoutes } from './modules/pki/revocation/published-lists.routes.ts'
import { templateLegacyRoutes } from './modules/pki/templates/templates.legacy-routes.ts'
import { temporaryGrantRoutes } from './modules/privileges/grants.routes.ts'
import { privilegeLegacyRoutes } from './modules/privileges/privileges.legacy-routes.ts'
import { privilegeRoutes } from './modules/privileges/privileges.routes.ts'
import { projectEventRoutes } from './modules/project-events/project-events.routes.ts'
import { environmentLifecycleLegacyRoutes } from './modules/project-lifecycle/environment-lifecycle.legacy-routes.ts'
import { environmentLifecycleRoutes } from './modules/project-lifecycle/environment-lifecycle.routes.ts'
import { projectLifecycleLegacyRoutes } from './modules/project-lifecycle/project-lifecycle.legacy-routes.ts'
import { projectLifecycleRoutes } from './modules/project-lifecycle/project-lifecycle.routes.ts'
import { projectLegacyRoutes } from './modules/projects/projects.legacy-routes.ts'
import { projectRoutes } from './modules/projects/projects.routes.ts'
import { folderLegacyRoutes } from './modules/secrets/folders.legacy-routes.ts'
import { folderMoveRoutes } from './modules/secrets/folder-moves.routes.ts'
import { folderRoutes } from './modules/secrets/folders.routes.ts'
import { importedSecretRoutes } from './modules/secrets/imported-secrets.routes.ts'
import { importLegacyRoutes } from './modules/secrets/imports.legacy-routes.ts'
import { importRoutes } from './modules/secrets/imports.routes.ts'
import { secretBatchLegacyRoutes } from './modules/secrets/secret-batches.legacy-routes.ts'
import { secretBatchRoutes } from './modules/secrets/secret-batches.routes.ts'
import { secretMoveRoutes } from './modules/secrets/secret-moves.routes.ts'
import { secretTaggingLegacyRoutes } from './modules/secrets/secret-tagging.legacy-routes.ts'
import { secretVersionRoutes } from './modules/secrets/secret-versions.routes.ts'
import { secretLegacyRoutes } from './modules/secrets/secrets.legacy-routes.ts'
import { secretRoutes } from './modules/secrets/secrets.routes.ts'
import { tagLegacyRoutes } from './modules/secrets/tags.legacy-routes.ts'
import { tagRoutes } from './modules/secrets/tags.routes.ts'
import { projectRoleLegacyRoutes } from './modules/roles/roles.legacy-routes.ts'
import { projectRoleRoutes } from './modules/roles/roles.routes.ts'
import { inviteRoutes } from './modules/sessions/invites.routes.ts'
import { loginRoutes } from './modules/sessions/login.routes.ts'
import { SessionCookie } from './modules/sessions/session-cookie.ts'
import { sessionRoutes } from './modules/sessions/sessions.routes.ts'
import { legacyListedTokenRoutes } from './modules/token-auth/listed-tokens.legacy-routes.ts'
import { listedTokenRoutes } from './modules/token-auth/listed-tokens.routes.ts'
import { tokenAuthRoutes } from './modules/token-auth/token-auth.routes.ts'
import { clientSecretRoutes } from './modules/universal-auth/client-secrets.routes.ts'
import { universalAuthLoginRoutes } from './modules/universal-auth/login.routes.ts'
import { universalAuthRoutes } from './modules/universal-auth/universal-auth.routes.ts'
import { userRoutes } from './modules/users/users.routes.ts'
import { apiDocs } from './platform/http/api-docs.ts'
import type { Authenticate } from './platform/http/authentication.ts'
import type { Routes } from './platform/http/route.ts'
import type { Services } from './services.ts'

const OPENAPI_FILE = new URL('../../openapi.json', import.meta.url)

/** The whole interface, module by module. */
export const allRoutes = (services: Services, authenticate: Authenticate): Routes[] => {
  const { config, clock } = services
  const cookie = new SessionCookie(config.siteUrl)
  return [
    apiDocs({ path: '/api/docs', documentFile: OPENAPI_FILE, title: 'Holdfast' }),
    instanceRoutes(services.instance, { authenticate, clock, tokenAgeSecondsMax: config.tokenAgeSecondsMax }),
    firstRunRoutes(services.firstRun, cookie),
    auditRoutes(services.auditSearch),
    licenseRoutes(services.licenses),
    organizationRoutes(services.organizations),
    organizationRoleRoutes(services.organizationRoles),
    organizationMemberRoutes(services.organizationMembers),
    userRoutes(services.users),
    loginRoutes(services.logins, cookie),
    sessionRoutes(services, cookie),
    inviteRoutes(services, cookie),
    identityRoutes(services.identities),
    scopedIdentityRoutes(services.identities),
    organizationIdentityRoutes(services.identities),
    accessTokenRoutes(services.accessTokens),
    universalAuthRoutes(services.universalAuth),
    clientSecretRoutes(services.clientSecrets),
    universalAuthLoginRoutes(services.universalAuthLogin),
    tokenAuthRoutes(services.tokenAuth),
    listedTokenRoutes(services.listedTokens),
    legacyListedTokenRoutes(services.listedTokens),
    oidcAuthRoutes(services.oidcAuth),
    oidcAuthLoginRoutes(services.oidcAuthLogin),
    groupRoutes(services.groups),
    groupLegacyRoutes(services.groups),
    groupMemberRoutes(services.groupMembers),
    groupMembershipRoutes(services.groupMemberships),
    projectRoutes(services.projects),
    projectLegacyRoutes(services.projects),
    projectLifecycleRoutes(services.projectLifecycle),
    projectLifecycleLegacyRoutes(services.projectLifecycle),
    privilegeRoutes(services),
    privilegeLegacyRoutes(services),
    temporaryGrantRoutes(services.temporaryGrants),
    projectRoleRoutes(services.projectRoles),
    projectRoleLegacyRoutes(services.projectRoles),
    ...membershipRoutes(services),
    environmentRoutes(services.environments),
    environmentLegacyRoutes(services.environments),
    environmentLifecycleRoutes(services.environmentLifecycle),
    environmentLifecycleLegacyRoutes(services.environmentLifecycle),
    folderRoutes(services.folders),
    folderLegacyRoutes(services.folders),
    folderMoveRoutes(services.folderMoves),
    secretRoutes(services),
    secretLegacyRoutes(services),
    secretBatchRoutes(services.secretWrites),
    secretBatchLegacyRoutes(services.secretWrites),
    secretMoveRoutes(services.secretMoves),
    secretTaggingLegacyRoutes(services.secretTagging),
    secretVersionRoutes(services.secretVersions),
    importRoutes(services.secretImports),
    importLegacyRoutes(services.secretImports),
    importedSecretRoutes(services.secretLists),
    tagRoutes(services.secretTags),
    tagLegacyRoutes(services.secretTags),
    ...pkiRoutes(services),
    projectEventRoutes(services.projectEvents),
  ]
}

const pkiRoutes = (services: Services): Routes[] => [
  certManagerProjectRoutes(services.certManagerProjects),
  authorityRoutes(services),
  authorityCertificateRoutes(services.authorityCertificates),
  authorityLegacyRoutes(services),
  namedAuthorityLegacyRoutes(services),
  authorityCertificateLegacyRoutes(services.authorityCertificates),
  templateLegacyRoutes(services.certificateTemplates),
  policyRoutes(services.certificatePolicies),
  profileRoutes(services.certificateProfiles),
  profileCertificateRoutes(services.certificates),
  issuanceRoutes(services),
  certificateRoutes(services),
  certificateLegacyRoutes(services),
  certificateSearchRoutes(services.certificateSearch),
  certificateRequestRoutes(services.certificateRequests),
  certificateRevocationRoutes(services.certificateRevocations),
  publishedListRoutes(services.publishedLists),
  publishedListLegacyRoutes(services.publishedLists),
  ocspRoutes(services.ocsp),
]

const membershipRoutes = (services: Services): Routes[] => {
  const people = { users: services.projectUsers, invites: services.projectInvites }
  return [
    projectGroupRoutes(services.projectGroups),
    projectGroupLegacyRoutes(services.projectGroups),
    projectIdentityRoutes(services.projectIdentities),
    projectIdentityLegacyRoutes(services.projectIdentities),
    ownedIdentityRoutes(services.ownedIdentities),
    projectUserRoutes(people),
    projectUserLegacyRoutes(people),
    heldPermissionRoutes(services.heldPermissions),
    adminAccessRoutes(services.adminAccess),
  ]
}
