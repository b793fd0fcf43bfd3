import { GroupMemberService } from '../modules/groups/group-members.service.ts'
import { GroupMembershipService } from '../modules/groups/group-memberships.service.ts'
import { GroupService } from '../modules/groups/groups.service.ts'
import type { IdentityService } from '../modules/identities/identities.service.ts'
import { AdminAccessService } from '../modules/memberships/admin-access.service.ts'
import { ProjectGroupService } from '../modules/memberships/group-memberships.service.ts'
import { HeldPermissionService } from '../modules/memberships/held-permissions.service.ts'
import { ProjectIdentityService } from '../modules/memberships/identity-memberships.service.ts'
import { OwnedIdentityService } from '../modules/memberships/owned-identities.service.ts'
import { ProjectInviteService } from '../modules/memberships/project-invites.service.ts'
import { ProjectUserService } from '../modules/memberships/user-memberships.service.ts'
import type { Base } from './base.ts'
import type { createProjects } from './projects.ts'

/** Groups of organizations. */
export const createGroups = (base: Base) => {
  const groups = new GroupService(base)
  const shared = { ...base, groups }
  return {
    groups,
    groupMembers: new GroupMemberService(shared),
    groupMemberships: new GroupMembershipService(shared),
  }
}

type InProjects = ReturnType<typeof createProjects>
type Members = Base & ReturnType<typeof createGroups> & Pick<InProjects, 'projects' | 'projectMembers'>

/** Who is in projects. */
export const createMemberships = ({ projectMembers, ...others }: Members & { identities: IdentityService }) => {
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
