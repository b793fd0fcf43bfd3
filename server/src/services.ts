import type { Foundation } from './foundation.ts'
import { AccessTokenService } from './modules/access-tokens/access-tokens.service.ts'
import { LoginRecorder } from './modules/access-tokens/login-recorder.ts'
import { MethodAccess } from './modules/access-tokens/method-access.service.ts'
import { AuditSearch } from './modules/audit/audit-search.service.ts'
import { AuditLog } from './modules/audit/audit.service.ts'
import { AuditRetention } from './modules/audit/retention.ts'
import { AuditSealer } from './modules/audit/sealer.ts'
import { EnvironmentService } from './modules/environments/environments.service.ts'
import { GroupMemberService } from './modules/groups/group-members.service.ts'
import { GroupMembershipService } from './modules/groups/group-memberships.service.ts'
import { GroupService } from './modules/groups/groups.service.ts'
import { IdentityService } from './modules/identities/identities.service.ts'
import { FirstRunService } from './modules/instance/first-run.service.ts'
import { InstanceService } from './modules/instance/instance.service.ts'
import { AdminAccessService } from './modules/memberships/admin-access.service.ts'
import { ProjectGroupService } from './modules/memberships/group-memberships.service.ts'
import { HeldPermissionService } from './modules/memberships/held-permissions.service.ts'
import { ProjectIdentityService } from './modules/memberships/identity-memberships.service.ts'
import { OwnedIdentityService } from './modules/memberships/owned-identities.service.ts'
import { ProjectInviteService } from './modules/memberships/project-invites.service.ts'
import { ProjectMemberService } from './modules/memberships/project-members.service.ts'
import { OidcAuthLogin } from './modules/oidc-auth/login.service.ts'
import { OidcAuthService } from './modules/oidc-auth/oidc-auth.service.ts'
import { ProviderKeys } from './modules/oidc-auth/provider-keys.ts'
import { ProjectUserService } from './modules/memberships/user-memberships.service.ts'
import { OrganizationMemberService } from './modules/organizations/members.service.ts'
import { OrganizationRoleService } from './modules/organizations/organization-roles.service.ts'
import { OrganizationService } from './modules/organizations/organizations.service.ts'
import { PermissionService } from './modules/permissions/permissions.service.ts'
import { TemporaryGrantService } from './modules/privileges/grants.service.ts'
import { PrivilegeLookup } from './modules/privileges/privilege-lookup.service.ts'
import { PrivilegeService } from './modules/privileges/privileges.service.ts'
import { EnvironmentLifecycleService } from './modules/project-lifecycle/environment-lifecycle.service.ts'
import { ProjectLifecycleService } from './modules/project-lifecycle/project-lifecycle.service.ts'
import { ProjectRoleService } from './modules/roles/roles.service.ts'
import { ProjectService } from './modules/projects/projects.service.ts'
import { FolderService } from './modules/secrets/folders.service.ts'
import { ImportService } from './modules/secrets/imports.service.ts'
import { Places } from './modules/secrets/places.service.ts'
import { SecretBox } from './modules/secrets/secret-box.ts'
import { SecretListService } from './modules/secrets/secret-lists.service.ts'
import { SecretMoveService } from './modules/secrets/secret-moves.service.ts'
import { SecretVersionService } from './modules/secrets/secret-versions.service.ts'
import { SecretWriter } from './modules/secrets/secret-writer.ts'
import { SecretWriteService } from './modules/secrets/secret-writes.service.ts'
import { SecretService } from './modules/secrets/secrets.service.ts'
import { Snapshots } from './modules/secrets/snapshots.service.ts'
import { TagService } from './modules/secrets/tags.service.ts'
import { InviteService } from './modules/sessions/invites.service.ts'
import { LoginThrottle } from './modules/sessions/login-throttle.service.ts'
import { LoginService } from './modules/sessions/login.service.ts'
import { RefreshService } from './modules/sessions/refresh.service.ts'
import { SessionService } from './modules/sessions/sessions.service.ts'
import { SignUpService } from './modules/sessions/sign-up.service.ts'
import { UserTokens } from './modules/sessions/user-tokens.ts'
import { FirstToken } from './modules/token-auth/first-token.ts'
import { ListedTokenService } from './modules/token-auth/listed-tokens.service.ts'
import { TokenAuthService } from './modules/token-auth/token-auth.service.ts'
import { ClientSecretService } from './modules/universal-auth/client-secrets.service.ts'
import { UniversalAuthLogin } from './modules/universal-auth/login.service.ts'
import { UniversalAuthService } from './modules/universal-auth/universal-auth.service.ts'
import { PasswordHasher } from './modules/users/password-hasher.ts'
import { UserService } from './modules/users/users.service.ts'
import { Outbound } from './platform/outbound/outbound.ts'

export type Services = ReturnType<typeof createServices>

/** Every service with what it needs, wired by hand from left to right. */
export const createServices = (foundation: Foundation) => {
  const common = createCommon(foundation)
  const people = createPeople(common)
  const machines = createMachines(common)
  const inProjects = createInProjects(common)
  const inGroups = createGroups(common)
  const memberships = createMemberships({ ...common, ...machines, ...inGroups, ...inProjects })

  const instance = new InstanceService(common)
  const tokenAuth = new FirstToken(machines)
  const firstRun = new FirstRunService({ ...common, ...people, identities: machines.identities, tokenAuth })
  /** Writes down what is still in memory. */
  const close = async () => {
    machines.providerKeys.close()
    await machines.machineLogins.close()
    await machines.clientSecrets.close()
    await common.audit.close()
  }
  return { ...common, ...people, ...machines, ...inGroups, ...inProjects, ...memberships, instance, firstRun, close }
}

type Common = ReturnType<typeof createCommon>

/** Who there is and what they may do, for all that follows. */
const createCommon = (foundation: Foundation) => {
  const permissions = new PermissionService(foundation)
  const audit = new AuditLog(foundation)
  const retentionDays = foundation.config.auditRetentionDays
  const auditSearch = new AuditSearch({ ...foundation, permissions, audit, retentionDays })
  const auditSealer = new AuditSealer(foundation)
  const auditRetention = new AuditRetention({ ...foundation, retentionDays })

  const shared = { ...foundation, permissions, audit, auditSearch, auditSealer, auditRetention }
  const organizations = new OrganizationService(shared)
  const organizationRoles = new OrganizationRoleService({ ...shared, organizations })
  const organizationMembers = new OrganizationMemberService({ ...shared, organizations })
  const users = new UserService(shared)
  return { ...shared, organizations, organizationRoles, organizationMembers, users }
}

/** How people come in. */
const createPeople = (common: Common) => {
  const hasher = new PasswordHasher()
  const tokens = new UserTokens(common)
  const throttle = new LoginThrottle(common)
  const sessions = new SessionService({ ...common, tokens })
  const shared = { ...common, hasher, tokens, throttle, sessions, siteUrl: common.config.siteUrl }
  return {
    hasher,
    throttle,
    sessions,
    logins: new LoginService(shared),
    refreshes: new RefreshService(shared),
    invites: new InviteService(shared),
    signUps: new SignUpService(shared),
  }
}

/** How machines come in. */
const createMachines = (common: Common) => {
  const identities = new IdentityService(common)
  const accessTokens = new AccessTokenService({ ...common, tokenAgeSecondsMax: common.config.tokenAgeSecondsMax })
  const machineLogins = new LoginRecorder(common)
  const shared = { ...common, accessTokens, access: new MethodAccess(common), logins: machineLogins }

  const clientSecrets = new ClientSecretService(shared)
  const outbound = new Outbound({ allowedCidrs: common.config.outboundAllowedCidrs })
  const providerKeys = new ProviderKeys({ ...common, outbound })
  return {
    identities,
    accessTokens,
    machineLogins,
    clientSecrets,
    universalAuth: new UniversalAuthService(shared),
    universalAuthLogin: new UniversalAuthLogin({ ...shared, clientSecrets }),
    tokenAuth: new TokenAuthService(shared),
    listedTokens: new ListedTokenService(shared),
    providerKeys,
    oidcAuth: new OidcAuthService({ ...shared, outbound }),
    oidcAuthLogin: new OidcAuthLogin({ ...shared, providerKeys }),
  }
}

/** Projects and what is in them. */
const createInProjects = (common: Common) => {
  const projects = new ProjectService(common)
  const environments = new EnvironmentService(common)
  const roles = new ProjectRoleService({ ...common, projects })
  const projectMembers = new ProjectMemberService({ ...common, projects, roles })
  const shared = { ...common, projects, environments, roles, members: projectMembers }
  const privilegeLookup = new PrivilegeLookup(shared)
  const secrets = createSecrets(shared)
  return {
    projects,
    environments,
    projectRoles: roles,
    projectMembers,
    privilegeLookup,
    privileges: new PrivilegeService({ ...shared, lookup: privilegeLookup }),
    temporaryGrants: new TemporaryGrantService(shared),
    ...secrets,
    projectLifecycle: new ProjectLifecycleService({ ...shared, ...secrets }),
    environmentLifecycle: new EnvironmentLifecycleService({ ...shared, ...secrets }),
  }
}

/** Folders and the secrets in them. */
const createSecrets = (common: Common & { projects: ProjectService }) => {
  const places = new Places(common)
  const box = new SecretBox(common)
  const snapshots = new Snapshots({ ...common, box })
  const writer = new SecretWriter({ ...common, box })
  const shared = { ...common, places, box, snapshots, writer }
  return {
    folders: new FolderService(shared),
    secrets: new SecretService(shared),
    secretLists: new SecretListService(shared),
    secretWrites: new SecretWriteService(shared),
    secretMoves: new SecretMoveService(shared),
    secretVersions: new SecretVersionService(shared),
    secretImports: new ImportService(shared),
    secretTags: new TagService(shared),
  }
}

/** Groups of organizations. */
const createGroups = (common: Common) => {
  const groups = new GroupService(common)
  const shared = { ...common, groups }
  return {
    groups,
    groupMembers: new GroupMemberService(shared),
    groupMemberships: new GroupMembershipService(shared),
  }
}

type InProjects = ReturnType<typeof createInProjects>
type Members = Common & ReturnType<typeof createGroups> & Pick<InProjects, 'projects' | 'projectMembers'>

/** Who is in projects. */
const createMemberships = ({ projectMembers, ...others }: Members & { identities: IdentityService }) => {
  const shared = { ...others, members: projectMembers }
  const projectUsers = new ProjectUserService(shared)
  return {
    projectGroups: new ProjectGroupService(shared),
    projectIdentities: new ProjectIdentityService(shared),
    ownedIdentities: new OwnedIdentityService(shared),
    projectUsers,
    projectInvites: new ProjectInviteService(shared),
    heldPermissions: new HeldPermissionService({ ...shared, users: projectUsers }),
    adminAccess: new AdminAccessService(shared),
  }
}
