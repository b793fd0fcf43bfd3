import { EnvironmentService } from '../modules/environments/environments.service.ts'
import { ProjectMemberService } from '../modules/memberships/project-members.service.ts'
import type { Revocations } from '../modules/pki/revocation/revocations.service.ts'
import { TemporaryGrantService } from '../modules/privileges/grants.service.ts'
import { PrivilegeLookup } from '../modules/privileges/privilege-lookup.service.ts'
import { PrivilegeService } from '../modules/privileges/privileges.service.ts'
import { EnvironmentLifecycleService } from '../modules/project-lifecycle/environment-lifecycle.service.ts'
import { ProjectLifecycleService } from '../modules/project-lifecycle/project-lifecycle.service.ts'
import { ProjectService } from '../modules/projects/projects.service.ts'
import { ProjectRoleService } from '../modules/roles/roles.service.ts'
import { FolderTree } from '../modules/secrets/folder-tree.ts'
import type { Base } from './base.ts'
import { createSecrets } from './secrets.ts'

/** Projects and what is in them. */
export const createProjects = (base: Base) => {
  const tree = new FolderTree(base)
  const projects = new ProjectService({ ...base, contents: tree })
  const environments = new EnvironmentService(base)
  const roles = new ProjectRoleService({ ...base, projects })
  const projectMembers = new ProjectMemberService({ ...base, projects, roles })
  const shared = { ...base, projects, environments, roles, members: projectMembers }
  const privilegeLookup = new PrivilegeLookup(shared)
  const secrets = createSecrets({ ...shared, tree })
  return {
    projects,
    environments,
    projectRoles: roles,
    projectMembers,
    privilegeLookup,
    privileges: new PrivilegeService({ ...shared, lookup: privilegeLookup }),
    temporaryGrants: new TemporaryGrantService(shared),
    ...secrets,
    environmentLifecycle: new EnvironmentLifecycleService({ ...shared, ...secrets }),
  }
}

type Lifecycle = Base & ReturnType<typeof createProjects> & { revocations: Revocations }

/** The beginning and the end of projects, which concern all that is in them. */
export const createLifecycle = ({ projectMembers, ...others }: Lifecycle) => ({
  projectLifecycle: new ProjectLifecycleService({ ...others, members: projectMembers }),
})
