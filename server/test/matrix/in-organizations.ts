import { inOrganization, inOwnOrganization, inProject, nobody, signedIn, type Sent, type Table } from './case.ts'
import { another, fresh, type Furnishing } from './place.ts'

const READERS = 'admin member'
const EVERYONE = 'admin member no-access'

const byId = ({ groupId }: Furnishing): Sent => ({ path: { id: groupId } })
const group = {
  read: inOrganization(READERS, { send: byId }),
  addIdentity: inOrganization('admin', {
    prepare: another.group,
    send: ({ groupId, identityId }) => ({ path: { id: groupId, machineIdentityId: identityId } }),
  }),
  removeIdentity: inOrganization('admin', {
    prepare: another.groupMember,
    send: ({ groupId, identityId }) => ({ path: { id: groupId, machineIdentityId: identityId } }),
  }),
}

const identity = {
  read: inOrganization(READERS),
  update: inOrganization(READERS, { send: () => ({ body: { name: 'renamed' } }) }),
  delete: inOrganization(READERS, { prepare: another.identity }),
}

const roleById = ({ organizationRoleId }: Furnishing): Sent => ({ path: { roleId: organizationRoleId } })
const roleBySlug = ({ organizationRoleSlug }: Furnishing): Sent => ({ path: { roleSlug: organizationRoleSlug } })
const memberById = ({ organizationMembershipId }: Furnishing): Sent => ({
  path: { membershipId: organizationMembershipId },
})

export const IN_ORGANIZATIONS: Table = {
  listOwnOrganizations: signedIn(),
  listAccessibleOrganizations: signedIn(),
  listOrganizationsOfUser: signedIn(),
  listSubOrganizations: signedIn(),
  listOwnOrganizationPermissions: signedIn(),
  createOrganization: signedIn({ send: () => ({ body: { name: fresh('Organization') } }) }),
  getOrganization: inOrganization(EVERYONE),
  updateInstanceSettings: nobody({ send: () => ({ body: { allowSignUp: true } }) }),
  getLicensing: signedIn(),
  installLicense: nobody({ send: () => ({ body: { token: 'none' } }) }),
  removeLicense: nobody({ send: ({ organizationId }) => ({ path: { licenseId: organizationId } }) }),
  listAuditLogs: [
    inOwnOrganization(READERS),
    inProject('admin member viewer', { send: ({ projectId }) => ({ query: { projectId } }) }),
  ],

  listOrganizationMembers: inOrganization(READERS),
  listOrganizationUsers: inOrganization(READERS),
  getOrganizationMember: inOrganization(READERS, { send: memberById }),
  updateOrganizationMember: inOrganization('admin', {
    send: (of) => ({ ...memberById(of), body: { role: 'member' } }),
    prepare: another.person,
  }),
  deleteOrganizationMember: inOrganization('admin', { prepare: another.person, send: memberById }),
  inviteToOrganization: inOrganization('admin', {
    send: ({ organizationId }) => ({ body: { organizationId, inviteeEmails: [`${fresh('new')}@example.com`] } }),
  }),

  listOrganizationRoles: inOwnOrganization(READERS),
  getOrganizationRole: inOrganization(READERS, { send: roleById }),
  getOrganizationRoleBySlug: inOrganization(READERS, { send: roleBySlug }),
  createOrganizationRole: inOwnOrganization('admin', {
    send: () => ({ body: { slug: fresh('role'), name: 'Role', permissions: [] } }),
  }),
  updateOrganizationRole: inOrganization('admin', { send: (of) => ({ ...roleById(of), body: { name: 'Renamed' } }) }),
  deleteOrganizationRole: inOrganization('admin', { prepare: another.organizationRole, send: roleById }),

  listGroups: inOwnOrganization(READERS),
  listOrganizationGroups: inOrganization(READERS),
  listAvailableGroups: signedIn(),
  listGroupMemberships: inOwnOrganization(READERS),
  getGroupMembership: inOrganization(READERS),
  updateGroupMembership: inOrganization('admin', { send: () => ({ body: { roles: [{ role: 'no-access' }] } }) }),
  getGroup: group.read,
  listGroupMembers: group.read,
  listGroupUsers: group.read,
  listGroupIdentities: group.read,
  listGroupProjects: group.read,
  createGroup: inOwnOrganization('admin', { send: () => ({ body: { name: fresh('group') } }) }),
  updateGroup: inOrganization('admin', { send: (of) => ({ ...byId(of), body: { name: of.groupName } }) }),
  deleteGroup: inOrganization('admin', { prepare: another.group, send: byId }),
  addIdentityToGroup: group.addIdentity,
  removeIdentityFromGroup: group.removeIdentity,
  addUserToGroup: inOrganization('admin', { prepare: another.group, send: byId }),
  removeUserFromGroup: inOrganization('admin', { prepare: another.groupMember, send: byId }),

  getOwnIdentityDetails: signedIn(),
  listIdentities: inOrganization(READERS, { send: ({ orgId }) => ({ query: { orgId } }) }),
  listOrganizationIdentityMemberships: inOrganization(READERS),
  listOrganizationIdentities: inOwnOrganization(READERS),
  searchIdentities: inOwnOrganization(READERS, { send: () => ({ body: {} }) }),
  // wire: whoever may read none finds none.
  searchIdentitiesByScope: signedIn({ send: () => ({ body: {} }) }),
  countIdentitiesByScope: signedIn({ send: () => ({ body: {} }) }),
  getIdentity: identity.read,
  getOrganizationIdentity: identity.read,
  createIdentity: [
    inOrganization(READERS, { send: ({ organizationId }) => ({ body: { organizationId, name: 'machine' } }) }),
    inOrganization('admin', {
      send: ({ organizationId }) => ({ body: { organizationId, name: 'machine', role: 'member' } }),
    }),
  ],
  createOrganizationIdentity: inOwnOrganization(READERS, { send: () => ({ body: { name: 'machine' } }) }),
  updateIdentity: [
    identity.update,
    inOrganization('admin', { prepare: another.identity, send: () => ({ body: { role: 'member' } }) }),
  ],
  updateOrganizationIdentity: identity.update,
  deleteIdentity: identity.delete,
  deleteOrganizationIdentity: identity.delete,
}
