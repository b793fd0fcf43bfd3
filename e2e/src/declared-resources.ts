/** What the resources of a case lie in. */
export type Ground = { projectId: string; projectSlug: string; organizationId: string; identityId: string }

type Request = { method?: string; path: string; body?: object }

/** The requests that a client such as the Terraform provider makes for one resource, and what it compares afterwards. */
export type Declared = {
  name: string
  create: Request
  /** The member of an answer that holds the resource; without it, the answer itself is the resource. */
  wrapper?: string
  read: (id: string) => string
  sent: object
  change: (id: string) => Request
  changed: object
  remove: (id: string) => Request
}

const START = '2026-01-02T03:04:05.000Z'
/** Unset fields of a role travel as these. */
const PERMANENT = { isTemporary: false, temporaryMode: '', temporaryRange: '', temporaryAccessStartTime: START }
const TEMPORARY = {
  isTemporary: true,
  temporaryMode: 'relative',
  temporaryRange: '1y',
  temporaryAccessStartTime: START,
}
const ANYWHERE = [{ ipAddress: '0.0.0.0/0' }, { ipAddress: '::/0' }]
const PERMISSIONS = [
  {
    action: ['read', 'create'],
    subject: 'secret-folders',
    inverted: false,
    conditions: { environment: { $in: ['prod', 'dev'] }, secretPath: { $glob: '/a/**' } },
  },
  { action: ['readValue'], subject: 'secrets', inverted: true, conditions: { secretName: { $glob: 'X*' } } },
  { action: ['read'], subject: 'member', inverted: false },
]

const environment = ({ projectId }: Ground): Declared => {
  const all = `/api/v1/workspace/${projectId}/environments`
  const changed = { name: 'Quality two', slug: 'quality-2', position: 2 }
  return {
    name: 'an environment',
    create: { path: all, body: { workspaceId: projectId, name: 'Quality', slug: 'quality', position: 7 } },
    wrapper: 'environment',
    read: (id) => `/api/v1/workspace/environments/${id}`,
    sent: { name: 'Quality', slug: 'quality', position: 7, projectId },
    change: (id) => ({ path: `${all}/${id}`, body: { ID: id, ProjectID: projectId, ...changed } }),
    changed,
    remove: (id) => ({ path: `${all}/${id}`, body: { ID: id, ProjectID: projectId } }),
  }
}

const identity = ({ organizationId }: Ground): Declared => {
  const path = '/api/v1/identities'
  const create = { name: 'declared', hasDeleteProtection: false, organizationId, role: 'member' }
  return {
    name: 'an identity',
    create: { path, body: create },
    wrapper: 'identity',
    read: (id) => `${path}/${id}`,
    sent: { role: 'member', orgId: organizationId, metadata: [] },
    change: (id) => ({ path: `${path}/${id}`, body: { identityId: id, ...create, role: 'no-access', metadata: [] } }),
    changed: { role: 'no-access', metadata: [] },
    remove: (id) => ({ path: `${path}/${id}`, body: { identityId: id } }),
  }
}

/** Universal and token auth are told apart by their name and by the addresses a client secret may come from. */
const login = (method: 'universal' | 'token', { identityId }: Ground): Declared => {
  const path = `/api/v1/auth/${method}-auth/identities/${identityId}`
  const ttl = { accessTokenTTL: 2_592_000, accessTokenMaxTTL: 2_592_000 }
  const shorter = { accessTokenTTL: 3_600, accessTokenMaxTTL: 7_200 }
  const network = { ipAddress: '10.0.0.0', type: 'ipv4', prefix: 8 }
  const secrets = method === 'universal' && { clientSecretTrustedIps: ANYWHERE }
  return {
    name: `${method} auth`,
    create: { path, body: { identityId, ...ttl, ...secrets, accessTokenTrustedIps: ANYWHERE } },
    wrapper: method === 'universal' ? 'identityUniversalAuth' : 'identityTokenAuth',
    read: () => path,
    sent: {
      ...ttl,
      accessTokenNumUsesLimit: 0,
      accessTokenTrustedIps: [
        { ipAddress: '0.0.0.0', type: 'ipv4', prefix: 0 },
        { ipAddress: '::', type: 'ipv6', prefix: 0 },
      ],
    },
    change: () => ({
      path,
      body: { identityId, ...shorter, ...secrets, accessTokenTrustedIps: [{ ipAddress: '10.0.0.0/8' }] },
    }),
    changed: { ...shorter, accessTokenTrustedIps: [network] },
    remove: () => ({ path, body: { identityId } }),
  }
}

const role = ({ projectId }: Ground): Declared => {
  const path = `/api/v2/workspace/${projectId}/roles`
  const sent = { name: 'Declared', slug: 'declared', description: 'one', permissions: PERMISSIONS }
  const changed = { ...sent, name: 'Declared two', description: '', permissions: PERMISSIONS.slice(0, 1) }
  return {
    name: 'a project role',
    create: { path, body: { ProjectId: projectId, ...sent } },
    wrapper: 'role',
    read: () => `${path}/slug/declared`,
    sent: { ...sent, projectId },
    change: (id) => ({ path: `${path}/${id}`, body: { ProjectId: projectId, RoleId: id, ...changed } }),
    changed,
    remove: (id) => ({ path: `${path}/${id}` }),
  }
}

const group = (): Declared => {
  const path = '/api/v1/groups'
  const sent = { name: 'Declared group', slug: 'declared-group', role: 'member' }
  const changed = { ...sent, name: 'Declared group two', role: 'no-access' }
  return {
    name: 'a group',
    create: { path, body: sent },
    read: (id) => `${path}/${id}`,
    sent,
    change: (id) => ({ path: `${path}/${id}`, body: { ID: id, ...changed } }),
    changed,
    remove: (id) => ({ path: `${path}/${id}` }),
  }
}

const folder = ({ projectId }: Ground): Declared => {
  const place = { environment: 'dev', path: '/' }
  return {
    name: 'a folder',
    create: { path: '/api/v1/folders', body: { workspaceId: projectId, ...place, name: 'declared' } },
    wrapper: 'folder',
    read: (id) => `/api/v1/folders/${id}`,
    sent: { name: 'declared', path: '/declared', projectId },
    change: (id) => ({ path: `/api/v1/folders/${id}`, body: { workspaceId: projectId, ...place, name: 'again' } }),
    changed: { name: 'again', path: '/again' },
    remove: (id) => ({ path: `/api/v2/folders/${id}`, body: { id, projectId, ...place, forceDelete: true } }),
  }
}

const tag = ({ projectId }: Ground): Declared => {
  const path = `/api/v1/workspace/${projectId}/tags`
  return {
    name: 'a tag',
    create: { path, body: { slug: 'declared', color: '#ff0000', name: 'declared' } },
    wrapper: 'workspaceTag',
    read: (id) => `${path}/${id}`,
    sent: { slug: 'declared', color: '#ff0000' },
    change: (id) => ({ path: `${path}/${id}`, body: { slug: 'declared-2', color: '' } }),
    changed: { slug: 'declared-2', color: '' },
    remove: (id) => ({ path: `${path}/${id}` }),
  }
}

const secret = ({ projectId }: Ground): Declared => {
  const place = { workspaceId: projectId, type: 'shared', environment: 'dev', secretPath: '/' }
  const unset = { secretReminderNote: '', secretReminderRepeatDays: 0, tagIds: [] }
  const metadata = ['zone', 'team', 'owner'].map((key) => ({ key, value: 'v', isEncrypted: false }))
  const sent = { secretKey: 'DECLARED', secretValue: '${OTHER}', secretComment: 'one', secretMetadata: metadata }
  const changed = { secretValue: 'two', secretComment: '', secretMetadata: [], secretReminderRepeatDays: 7 }
  return {
    name: 'a secret',
    create: { path: '/api/v3/secrets/raw/DECLARED', body: { ...place, ...unset, ...sent } },
    wrapper: 'secret',
    read: (id) => `/api/v3/secrets/raw/id/${id}`,
    sent: { ...sent, workspace: projectId, environment: 'dev', secretPath: '/', tags: [] },
    change: () => ({
      path: '/api/v3/secrets/raw/DECLARED',
      body: { ...place, ...unset, ...changed, secretName: 'DECLARED', newSecretName: 'RENAMED' },
    }),
    changed: { ...changed, secretKey: 'RENAMED', tags: [] },
    remove: () => ({ path: '/api/v3/secrets/raw/RENAMED', body: place }),
  }
}

const secretImport = ({ projectId: workspaceId }: Ground): Declared => {
  const place = { workspaceId, environment: 'staging', path: '/' }
  const path = '/api/v1/secret-imports'
  return {
    name: 'an import',
    create: { path, body: { ...place, isReplication: false, import: { environment: 'dev', path: '/' } } },
    wrapper: 'secretImport',
    read: (id) => `${path}/${id}`,
    sent: { importPath: '/', isReplication: false },
    change: (id) => ({ path: `${path}/${id}`, body: { ...place, import: { environment: 'prod', path: '/' } } }),
    changed: { importPath: '/' },
    remove: (id) => ({ path: `${path}/${id}`, body: place }),
  }
}

const privilege = ({ projectId, projectSlug, identityId }: Ground): Declared => {
  const path = '/api/v2/identity-project-additional-privilege'
  const sent = { slug: 'declared', permissions: PERMISSIONS }
  const changed = { slug: 'declared-2', permissions: PERMISSIONS.slice(2) }
  return {
    name: 'a privilege',
    create: { path, body: { projectId, identityId, ...sent, type: TEMPORARY } },
    wrapper: 'privilege',
    read: (id) => `${path}/${id}`,
    sent: { ...sent, ...TEMPORARY },
    change: (id) => ({ path: `${path}/${id}`, body: { ID: id, ...changed, type: PERMANENT } }),
    changed: { ...changed, isTemporary: false },
    remove: () => ({
      path: '/api/v1/additional-privilege/identity',
      body: { projectSlug, identityId, privilegeSlug: 'declared-2' },
    }),
  }
}

const legacyPrivilege = ({ projectSlug, identityId }: Ground): Declared => {
  const path = '/api/v1/additional-privilege/identity'
  const conditions = { environment: 'dev', secretPath: { $glob: '/x/**' } }
  const one = { subject: 'secrets', inverted: false, conditions }
  const granted = (actions: string[]) => ({ privilegePermission: { actions, subject: 'secrets', conditions } })
  return {
    name: 'a privilege of the first kind',
    create: {
      path: `${path}/permanent`,
      body: { identityId, projectSlug, slug: 'first', ...granted(['read', 'edit']), ...PERMANENT },
    },
    wrapper: 'privilege',
    read: () => `${path}/first?projectSlug=${projectSlug}&identityId=${identityId}`,
    sent: { slug: 'first', permissions: ['read', 'edit'].map((action) => ({ ...one, action: [action] })) },
    change: () => ({
      path,
      body: {
        projectSlug,
        identityId,
        privilegeSlug: 'first',
        privilegeDetails: { ...granted(['read']), ...TEMPORARY },
      },
    }),
    changed: { permissions: [{ ...one, action: ['read'] }], ...TEMPORARY },
    remove: () => ({ path, body: { projectSlug, identityId, privilegeSlug: 'first' } }),
  }
}

export const declaredResources = (ground: Ground): Declared[] => [
  environment(ground),
  identity(ground),
  login('universal', ground),
  login('token', ground),
  role(ground),
  group(),
  folder(ground),
  tag(ground),
  secret(ground),
  secretImport(ground),
  privilege(ground),
  legacyPrivilege(ground),
]
