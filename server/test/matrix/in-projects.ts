import { inOrganization, inOwnOrganization, inProject, type Sent, signedIn, type Table, toAnyProject } from './case.ts'
import { another, fresh, type Furnishing } from './place.ts'

const MEMBERS = 'admin member viewer no-access'
const READERS = 'admin member viewer'
const WRITERS = 'admin member'

const bySlug = ({ projectSlug }: Furnishing): Sent => ({ path: { slug: projectSlug } })

const project = {
  create: inOwnOrganization('admin member', { send: () => ({ body: { projectName: 'Another' } }) }),
  get: inProject(MEMBERS),
  update: inProject(WRITERS, { send: () => ({ body: { description: 'changed' } }) }),
  delete: inProject('admin', { prepare: another.project }),
  keepAudit: (send?: (of: Furnishing) => Sent) =>
    inProject('admin', { send: (of) => ({ ...send?.(of), body: { auditLogsRetentionDays: 30 } }) }),
}

const environment = {
  read: inProject(READERS),
  create: inProject(WRITERS, { send: () => ({ body: { name: 'Test', slug: fresh('env') } }) }),
  update: inProject(WRITERS, { send: ({ envId }) => ({ path: { id: envId }, body: { name: 'Renamed' } }) }),
  delete: inProject(WRITERS, { prepare: another.environment, send: ({ envId }) => ({ path: { id: envId } }) }),
  restore: inProject(WRITERS, {
    prepare: async (place) => {
      const made = await another.environment(place)
      await place.ask('DELETE', `/api/v1/projects/${place.has.projectId}/environments/${made.envId}`)
      return made
    },
    send: ({ envId }) => ({ path: { id: envId } }),
  }),
}

const NO_RULES = { permissions: [] }
const role = {
  read: inProject(READERS),
  getBySlug: inProject(READERS, { send: ({ roleSlug }) => ({ path: { slug: roleSlug } }) }),
  create: inProject('admin', { send: () => ({ body: { slug: fresh('role'), name: 'Role', ...NO_RULES } }) }),
  update: inProject('admin', { send: () => ({ body: { name: 'Renamed' } }) }),
  delete: inProject('admin', { prepare: another.role }),
}

const byId = ({ privilegeId }: Furnishing): Sent => ({ path: { id: privilegeId } })
const holder = ({ identityId, projectSlug }: Furnishing) => ({ identityId, projectSlug })
const RULES = { permissions: [{ subject: 'secrets', action: 'read' }] }
const SOON = { temporaryMode: 'relative', temporaryRange: '1h', temporaryAccessStartTime: '2040-01-01T00:00:00Z' }

export const IN_PROJECTS: Table = {
  createProject: project.create,
  createWorkspace: project.create,
  listProjects: signedIn(),
  listWorkspaces: signedIn(),
  listOrganizationWorkspaces: inOrganization('admin member no-access'),
  searchProjects: signedIn({ send: () => ({ body: {} }) }),
  getProject: project.get,
  getWorkspace: project.get,
  getProjectBySlug: { ...project.get, send: bySlug },
  getWorkspaceBySlug: { ...project.get, send: bySlug },
  updateProject: project.update,
  updateWorkspace: project.update,
  updateWorkspaceBySlug: inProject(WRITERS, { send: (of) => ({ ...bySlug(of), body: { description: 'changed' } }) }),
  setProjectAuditLogsRetention: project.keepAudit(),
  setWorkspaceAuditLogsRetention: project.keepAudit(bySlug),
  deleteProject: project.delete,
  deleteWorkspace: project.delete,
  deleteWorkspaceBySlug: { ...project.delete, send: bySlug },
  grantOwnProjectAdminAccess: toAnyProject('admin', { prepare: another.project }),
  leaveProject: inProject(MEMBERS, { prepare: another.project }),

  getEnvironment: environment.read,
  getEnvironmentOfWorkspace: environment.read,
  getWorkspaceEnvironment: environment.read,
  getEnvironmentBySlug: environment.read,
  createEnvironment: environment.create,
  createWorkspaceEnvironment: environment.create,
  updateEnvironment: environment.update,
  updateWorkspaceEnvironment: environment.update,
  deleteEnvironment: environment.delete,
  deleteWorkspaceEnvironment: environment.delete,
  restoreEnvironment: environment.restore,

  listProjectRoles: role.read,
  listWorkspaceRoles: role.read,
  listOlderWorkspaceRoles: role.read,
  getProjectRoleById: role.read,
  getProjectRoleBySlug: role.read,
  getWorkspaceRoleBySlug: role.read,
  getOlderWorkspaceRoleBySlug: role.getBySlug,
  createProjectRole: role.create,
  createWorkspaceRole: role.create,
  createOlderWorkspaceRole: role.create,
  updateProjectRole: role.update,
  updateWorkspaceRole: role.update,
  updateOlderWorkspaceRole: role.update,
  deleteProjectRole: role.delete,
  deleteWorkspaceRole: role.delete,
  deleteOlderWorkspaceRole: role.delete,

  listIdentityPrivileges: inProject(READERS, {
    send: ({ identityId, projectId }) => ({ query: { identityId, projectId } }),
  }),
  getIdentityPrivilege: inProject(READERS, { isHidden: true, send: byId }),
  getIdentityPrivilegeBySlug: inProject(READERS, { send: (of) => ({ query: holder(of) }) }),
  createIdentityPrivilege: inProject('admin', {
    send: ({ identityId, projectId }) => ({ body: { identityId, projectId, ...RULES } }),
  }),
  updateIdentityPrivilege: inProject('admin', { isHidden: true, send: (of) => ({ ...byId(of), body: RULES }) }),
  deleteIdentityPrivilege: inProject(WRITERS, { isHidden: true, prepare: another.privilege, send: byId }),
  listIdentityPrivilegesInProject: inProject(READERS, { send: (of) => ({ query: holder(of) }) }),
  getIdentityPrivilegeInProject: inProject(READERS, { send: (of) => ({ query: holder(of) }) }),
  createPermanentIdentityPrivilege: inProject('admin', { send: (of) => ({ body: { ...holder(of), ...RULES } }) }),
  createTemporaryIdentityPrivilege: inProject('admin', {
    send: (of) => ({ body: { ...holder(of), ...RULES, ...SOON } }),
  }),
  updateIdentityPrivilegeBySlug: inProject('admin', {
    send: (of) => ({ body: { ...holder(of), privilegeSlug: of.privilegeSlug, privilegeDetails: RULES } }),
  }),
  deleteIdentityPrivilegeBySlug: inProject(WRITERS, {
    prepare: another.privilege,
    send: (of) => ({ body: { ...holder(of), privilegeSlug: of.privilegeSlug } }),
  }),
  listTemporaryGrants: inProject(READERS),
}
