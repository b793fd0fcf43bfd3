import { randomBytes } from 'node:crypto'
import { AppError } from '../lib/app-error.ts'
import type { UserActor } from '../modules/permissions/actor.ts'
import { NewClientSecret } from '../modules/universal-auth/client-secrets.schemas.ts'
import { NewUniversalAuth } from '../modules/universal-auth/universal-auth.schemas.ts'
import type { Services } from '../services.ts'

export type DemoLogin = { projectId: string; clientId: string; clientSecret: string }

export const DEMO_EMAIL = 'demo@example.com'
export const DEMO_PROJECT = 'web-shop'
export const DEMO_SECRET = { key: 'DATABASE_URL', environment: 'dev' }

const IDENTITY = 'demo-app'
const GROUP = 'Developers'
const PASSWORD_BYTES = 24
const ORIGIN = { ip: '127.0.0.1', userAgent: 'holdfast', requestId: 'demo' }

/** An example organization: two projects, secrets with a reference and an import, a group, and an identity that can log in. */
export const createDemo = async (services: Services): Promise<void> => {
  // Nobody knows it: whoever wants to log in gives the account one of their own.
  const password = randomBytes(PASSWORD_BYTES).toString('base64url')
  const account = { email: DEMO_EMAIL, password, organizationName: 'Example' }
  const { user, organization } = await services.firstRun.bootstrap(account, ORIGIN)
  await fillIn(services, administrator(user.id, organization.id))
}

/** Makes what is missing of it since that was interrupted; what is there stays as it is. */
export const completeDemo = async (services: Services): Promise<void> => {
  const admin = await findAdministrator(services)
  if (admin) await fillIn(services, admin)
}

const fillIn = async (services: Services, admin: UserActor): Promise<void> => {
  const shop = await ensureProject(services, admin, { name: 'Web shop', slug: DEMO_PROJECT })
  const payments = await ensureProject(services, admin, { name: 'Payments', slug: 'payments' })
  await fillShop(services, admin, shop)
  const inProduction = { projectId: payments, environment: 'prod', secretPath: '/' }
  await unlessThere(() =>
    services.secretWrites.create(admin, inProduction, [{ key: 'PROVIDER_KEY', value: 'example-key' }]),
  )
  await addMembers(services, admin, { shop, payments })
}

/** What cannot be made because it is there is refused so. */
const unlessThere = async (make: () => Promise<unknown>): Promise<void> => {
  try {
    await make()
  } catch (error) {
    if (!(error instanceof AppError && error.kind === 'bad-request')) throw error
  }
}

export type Demo = { admin: UserActor; identityId: string; projectId: string }

/** Undefined when the example is not here; `incomplete` when making it was interrupted, or parts have been deleted. */
export const findDemo = async (services: Services): Promise<Demo | 'incomplete' | undefined> => {
  const admin = await findAdministrator(services)
  if (!admin) return undefined
  const identityId = await findIdentityId(services, admin)
  const project = (await services.projects.list(admin, {})).find(({ slug }) => slug === DEMO_PROJECT)
  if (identityId === undefined || !project) return 'incomplete'
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

const ensureProject = async (services: Services, admin: UserActor, names: { name: string; slug: string }) => {
  const known = (await services.projects.list(admin, {})).find(({ slug }) => slug === names.slug)
  if (known) return known.id
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
  const common = { ...top, name: 'common', description: 'For every part of the shop' }
  await unlessThere(() => folders.create(admin, common))
  await unlessThere(() =>
    secretWrites.create(admin, { projectId, environment, secretPath: '/common' }, [
      { key: 'LOG_LEVEL', value: 'debug' },
      { key: 'REGION', value: 'eu-central-1' },
    ]),
  )
  await unlessThere(() => secretImports.create(admin, top, { environment, path: '/common' }))
  const url = 'postgresql://${DATABASE_USER}@db.example.com/shop'
  await unlessThere(() =>
    secretWrites.create(admin, { projectId, environment, secretPath: '/' }, [
      { key: 'DATABASE_USER', value: 'shop' },
      { key: DEMO_SECRET.key, value: url, comment: 'Uses DATABASE_USER' },
      { key: 'GREETING', value: 'Hello' },
    ]),
  )
}

const addMembers = async (
  services: Services,
  admin: UserActor,
  { shop, payments }: { shop: string; payments: string },
) => {
  const { organizationId = '' } = admin
  const group =
    (await services.groups.findByName(services.db.pool, organizationId, GROUP)) ??
    (await services.groups.create(admin, { name: GROUP, slug: 'developers', role: 'member' }))
  await unlessThere(() => services.groupMembers.addUser(admin, group.id, DEMO_EMAIL))
  const target = { projectId: payments, groupId: group.id }
  await unlessThere(() => services.projectGroups.add(admin, target, [{ role: 'viewer' }]))

  const identity = { name: IDENTITY, organizationId, role: 'no-access', hasDeleteProtection: false }
  const identityId = (await findIdentityId(services, admin)) ?? (await services.identities.create(admin, identity)).id
  await unlessThere(() => services.universalAuth.attach(admin, identityId, NewUniversalAuth.parse({})))
  await unlessThere(() => services.projectIdentities.add(admin, { projectId: shop, identityId }, [{ role: 'member' }]))
}

const findIdentityId = async (services: Services, admin: UserActor): Promise<string | undefined> => {
  const { identities } = await services.identities.list(admin, admin.organizationId ?? '')
  return identities.find(({ name }) => name === IDENTITY)?.identityId
}
