import { randomBytes } from 'node:crypto'
import type { UserActor } from '../modules/permissions/actor.ts'
import { NewClientSecret } from '../modules/universal-auth/client-secrets.schemas.ts'
import { NewUniversalAuth } from '../modules/universal-auth/universal-auth.schemas.ts'
import type { Services } from '../services.ts'

export type DemoLogin = { projectId: string; clientId: string; clientSecret: string }

export const DEMO_EMAIL = 'demo@example.com'
export const DEMO_PROJECT = 'web-shop'
export const DEMO_SECRET = { key: 'DATABASE_URL', environment: 'dev' }

const IDENTITY = 'demo-app'
const PASSWORD_BYTES = 24
const ORIGIN = { ip: '127.0.0.1', userAgent: 'holdfast', requestId: 'demo' }

/** An example organization: two projects, secrets with a reference and an import, a group, and an identity that can log in. */
export const createDemo = async (services: Services): Promise<void> => {
  // Nobody knows it: whoever wants to log in gives the account one of their own.
  const password = randomBytes(PASSWORD_BYTES).toString('base64url')
  const account = { email: DEMO_EMAIL, password, organizationName: 'Example' }
  const { user, organization } = await services.firstRun.bootstrap(account, ORIGIN)
  const admin = administrator(user.id, organization.id)
  const shop = await createProject(services, admin, { name: 'Web shop', slug: DEMO_PROJECT })
  const payments = await createProject(services, admin, { name: 'Payments', slug: 'payments' })
  await fillShop(services, admin, shop)
  const inProduction = { projectId: payments, environment: 'prod', secretPath: '/' }
  await services.secretWrites.create(admin, inProduction, [{ key: 'PROVIDER_KEY', value: 'example-key' }])
  await addMembers(services, admin, { shop, payments })
}

export type Demo = { admin: UserActor; identityId: string; projectId: string }

/** Undefined when the example is not here; `incomplete` when making it was interrupted, or parts have been deleted. */
export const findDemo = async (services: Services): Promise<Demo | 'incomplete' | undefined> => {
  const admin = await findAdministrator(services)
  if (!admin) return undefined
  const { identities } = await services.identities.list(admin, admin.organizationId ?? '')
  const identity = identities.find(({ name }) => name === IDENTITY)
  const project = (await services.projects.list(admin, {})).find(({ slug }) => slug === DEMO_PROJECT)
  if (!identity || !project) return 'incomplete'
  const { identityId } = identity
  // What is made last.
  const memberships = await services.projectIdentities.listOfIdentity(admin, identityId)
  if (!memberships.some(({ projectId }) => projectId === project.id)) return 'incomplete'
  return { admin, identityId, projectId: project.id }
}

/** A new client secret of the example's identity. */
export const createDemoLogin = async (
  { universalAuth, clientSecrets }: Services,
  { admin, identityId, projectId }: Demo,
): Promise<DemoLogin> => {
  const { clientId } = await universalAuth.get(admin, identityId)
  const secret = NewClientSecret.parse({ description: 'Made for the example' })
  const { text } = await clientSecrets.create(admin, identityId, secret)
  return { projectId, clientId, clientSecret: text }
}

const findAdministrator = async ({ db, users, organizations }: Services): Promise<UserActor | undefined> => {
  const user = await users.find(db.pool, DEMO_EMAIL)
  const [organization] = user ? await organizations.listOf(administrator(user.id)) : []
  return user && organization && administrator(user.id, organization.id)
}

/** The person of the example, as whom all of it is done. */
const administrator = (id: string, organizationId?: string): UserActor => ({
  type: 'user',
  id,
  organizationId,
  sessionId: '',
  email: DEMO_EMAIL,
  username: DEMO_EMAIL,
  authMethod: 'email',
  isInstanceAdmin: true,
  origin: ORIGIN,
})

const createProject = async (services: Services, admin: UserActor, names: { name: string; slug: string }) => {
  const { id } = await services.projectLifecycle.create(admin, {
    ...names,
    description: 'An example',
    type: 'secret-manager',
    kmsKeyId: undefined,
    template: 'default',
    shouldCreateDefaultEnvs: true,
    hasDeleteProtection: false,
  })
  return id
}

const fillShop = async ({ folders, secretWrites, secretImports }: Services, admin: UserActor, projectId: string) => {
  const { environment } = DEMO_SECRET
  const top = { projectId, environment, path: '/' }
  await folders.create(admin, { ...top, name: 'common', description: 'For every part of the shop' })
  await secretWrites.create(admin, { projectId, environment, secretPath: '/common' }, [
    { key: 'LOG_LEVEL', value: 'debug' },
    { key: 'REGION', value: 'eu-central-1' },
  ])
  await secretImports.create(admin, top, { environment, path: '/common' })
  await secretWrites.create(admin, { projectId, environment, secretPath: '/' }, [
    { key: 'DATABASE_USER', value: 'shop' },
    { key: DEMO_SECRET.key, value: 'postgresql://${DATABASE_USER}@db.example.com/shop', comment: 'Uses DATABASE_USER' },
    { key: 'GREETING', value: 'Hello' },
  ])
}

const addMembers = async (
  services: Services,
  admin: UserActor,
  { shop, payments }: { shop: string; payments: string },
) => {
  const { organizationId = '' } = admin
  const group = await services.groups.create(admin, { name: 'Developers', slug: 'developers', role: 'member' })
  await services.groupMembers.addUser(admin, group.id, DEMO_EMAIL)
  await services.projectGroups.add(admin, { projectId: payments, groupId: group.id }, [{ role: 'viewer' }])

  const identity = { name: IDENTITY, organizationId, role: 'no-access', hasDeleteProtection: false }
  const { id: identityId } = await services.identities.create(admin, identity)
  await services.universalAuth.attach(admin, identityId, NewUniversalAuth.parse({}))
  await services.projectIdentities.add(admin, { projectId: shop, identityId }, [{ role: 'member' }])
}
