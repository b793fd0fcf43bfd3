import { inOrganization, inProject, type Sent, type Table } from './case.ts'
import { another, fresh, type Furnishing } from './place.ts'

const MEMBERS = 'admin member viewer no-access'
const READERS = 'admin member viewer'
const WRITERS = 'admin member'

/** Taking all access away is no assignment; giving any is. */
const NO_ACCESS = { roles: [{ role: 'no-access' }] }
const VIEWER = { roles: [{ role: 'viewer' }] }

const group = {
  read: inProject(READERS),
  add: inProject('admin', {
    prepare: another.group,
    send: ({ groupId }) => ({ path: { groupIdOrName: groupId }, body: VIEWER }),
  }),
  update: inProject('admin', { send: () => ({ body: VIEWER }) }),
  remove: inProject('admin', { prepare: another.projectGroup }),
}

const byMembership = ({ identityMembershipId }: Furnishing): Sent => ({ path: { membershipId: identityMembershipId } })
const identity = {
  read: inProject(READERS),
  getByMembership: inProject(READERS, { send: byMembership }),
  add: [
    inProject(WRITERS, { prepare: another.identity, send: () => ({ body: NO_ACCESS }) }),
    inProject('admin', { prepare: another.identity, send: () => ({ body: VIEWER }) }),
  ],
  update: [
    inProject(WRITERS, { send: () => ({ body: NO_ACCESS }) }),
    inProject('admin', { send: () => ({ body: VIEWER }) }),
  ],
  remove: inProject(WRITERS, { prepare: another.projectIdentity }),
}

const owned = ({ ownedIdentityId }: Furnishing): Sent => ({ path: { identityId: ownedIdentityId } })

const names = ({ username }: Furnishing) => ({ usernames: [username] })
const member = {
  read: inProject(READERS),
  find: inProject(READERS, { send: ({ username }) => ({ body: { username } }) }),
  invite: [
    inProject(WRITERS, {
      prepare: another.person,
      send: (of) => ({ body: { ...names(of), roleSlugs: ['no-access'] } }),
    }),
    inProject('admin', { prepare: another.person, send: (of) => ({ body: { ...names(of), roleSlugs: ['viewer'] } }) }),
  ],
  update: inProject('admin', { send: () => ({ body: VIEWER }) }),
  remove: inProject('admin', { prepare: another.member }),
  removeMany: inProject('admin', { prepare: another.member, send: (of) => ({ body: names(of) }) }),
}

export const IN_MEMBERSHIPS: Table = {
  listProjectGroups: group.read,
  listWorkspaceGroups: group.read,
  listOlderProjectGroups: group.read,
  getProjectGroup: group.read,
  getWorkspaceGroup: group.read,
  getOlderProjectGroup: group.read,
  listWorkspaceGroupUsers: group.read,
  listOlderProjectGroupUsers: group.read,
  addProjectGroup: group.add,
  addWorkspaceGroup: group.add,
  addOlderProjectGroup: group.add,
  updateProjectGroupRoles: group.update,
  updateWorkspaceGroupRoles: group.update,
  updateOlderProjectGroupRoles: group.update,
  removeProjectGroup: group.remove,
  removeWorkspaceGroup: group.remove,
  removeOlderProjectGroup: group.remove,

  listProjectIdentityMemberships: identity.read,
  listWorkspaceIdentityMemberships: identity.read,
  listOlderProjectIdentityMemberships: identity.read,
  getProjectIdentityMembership: identity.read,
  getWorkspaceIdentityMembership: identity.read,
  getOlderProjectIdentityMembership: identity.read,
  getWorkspaceIdentityMembershipById: identity.getByMembership,
  getOlderProjectIdentityMembershipById: identity.getByMembership,
  addProjectIdentity: identity.add,
  addWorkspaceIdentity: identity.add,
  addOlderProjectIdentity: identity.add,
  updateProjectIdentityRoles: identity.update,
  updateWorkspaceIdentityRoles: identity.update,
  updateOlderProjectIdentityRoles: identity.update,
  removeProjectIdentity: identity.remove,
  removeWorkspaceIdentity: identity.remove,
  removeOlderProjectIdentity: identity.remove,
  listAvailableProjectIdentities: inProject(WRITERS),
  listProjectsOfIdentity: inOrganization('admin member'),

  listProjectIdentities: identity.read,
  getProjectIdentity: inProject(READERS, { send: owned }),
  createProjectIdentity: [
    inProject(WRITERS, { send: () => ({ body: { name: fresh('machine') } }) }),
    inProject('admin', { send: () => ({ body: { name: fresh('machine'), ...VIEWER } }) }),
  ],
  updateProjectIdentity: inProject(WRITERS, { send: (of) => ({ ...owned(of), body: { name: 'renamed' } }) }),
  deleteProjectIdentity: inProject(WRITERS, { prepare: another.ownedIdentity, send: owned }),

  listProjectMembers: member.read,
  listWorkspaceMembers: member.read,
  getProjectMember: member.read,
  getWorkspaceMember: member.read,
  getProjectMemberByUser: member.read,
  getProjectMemberByUsername: member.find,
  getWorkspaceMemberByUsername: member.find,
  inviteProjectMembers: member.invite,
  inviteWorkspaceMembers: member.invite,
  updateProjectMemberRoles: member.update,
  updateWorkspaceMemberRoles: member.update,
  removeProjectMember: member.remove,
  removeWorkspaceMember: member.remove,
  removeProjectMembers: member.removeMany,
  removeWorkspaceMembers: member.removeMany,

  listOwnProjectPermissions: inProject(MEMBERS),
  auditProjectMemberPermissions: member.read,
  auditProjectIdentityPermissions: identity.read,
}
