import { sql } from 'kysely'
import { newId } from '../src/lib/uuid.ts'
import type { Db } from '../src/platform/db/db.ts'
import { createIdentity, createProject, joinProject } from './test-projects.ts'
import { openBeside } from './test-database.ts'
import { type Answer, startTestServer, type TestServer } from './test-server.ts'

type Administrator = Awaited<ReturnType<TestServer['bootstrap']>>
type Rule = { subject: string; action: string[]; conditions?: object; inverted?: boolean }

/** A server with an organization, a project for secrets and database connections beside it. */
export const startSecretServer = async () => {
  const server = await startTestServer()
  const admin = await server.bootstrap()
  const beside = openBeside(server.url)
  const secrets = await TestSecrets.open(server, admin)
  return { server, admin, token: admin.token, db: beside.pool, secrets, projectId: secrets.projectId }
}

/** A project with its secrets, asked by its administrator unless another token is given. */
export class TestSecrets {
  readonly projectId: string
  readonly #server: TestServer
  readonly #admin: Administrator

  private constructor(server: TestServer, admin: Administrator, projectId: string) {
    this.#server = server
    this.#admin = admin
    this.projectId = projectId
  }

  static async open(server: TestServer, admin: Administrator, body: object = {}): Promise<TestSecrets> {
    return new TestSecrets(server, admin, (await createProject(server, admin.token, body)).id)
  }

  create(name: string, secretValue: string, body: object = {}, token = this.#admin.token): Promise<Answer> {
    return this.#server.post(path(name), { ...this.#place, secretValue, ...body }, { token })
  }

  update(name: string, body: object = {}, token = this.#admin.token): Promise<Answer> {
    return this.#server.patch(path(name), { ...this.#place, ...body }, { token })
  }

  remove(name: string, body: object = {}, token = this.#admin.token): Promise<Answer> {
    return this.#server.delete(path(name), { body: { ...this.#place, ...body }, token })
  }

  get(name: string, query: Record<string, string> = {}, token = this.#admin.token): Promise<Answer> {
    return this.#server.get(path(name), { query: { ...this.#place, ...query }, token })
  }

  list(query: Record<string, string> = {}, token = this.#admin.token, headers = {}): Promise<Answer> {
    return this.#server.get('/api/v4/secrets', { query: { ...this.#place, ...query }, token, headers })
  }

  /** By key. */
  async values(query: Record<string, string> = {}, token?: string): Promise<Record<string, string>> {
    const { body } = await this.list(query, token)
    const secrets = body.secrets as { secretKey: string; secretValue: string }[]
    return Object.fromEntries(secrets.map(({ secretKey, secretValue }) => [secretKey, secretValue]))
  }

  folder(name: string, body: object = {}, token = this.#admin.token): Promise<Answer> {
    return this.#server.post('/api/v2/folders', { ...this.#place, name, ...body }, { token })
  }

  batch(method: 'POST' | 'PATCH' | 'DELETE', body: object, token = this.#admin.token): Promise<Answer> {
    return this.#server.request(method, '/api/v4/secrets/batch', { ...this.#place, ...body }, { token })
  }

  /** A token of a new identity that may do just this in the project. */
  async tokenAllowing(db: Db, ...permissions: Rule[]): Promise<string> {
    const { identityId, token } = await createIdentity(this.#server, this.#admin)
    const roleId = newId()
    await sql`insert into project_roles (id, project_id, slug, name, permissions)
      values (${roleId}, ${this.projectId}, ${`role-${roleId}`}, 'test', ${JSON.stringify(permissions)})`.execute(db)
    await joinProject(db, this.projectId, { identityId, role: 'no-access' })
    await sql`insert into project_membership_roles (id, membership_id, role, custom_role_id)
      select ${newId()}, id, 'custom', ${roleId} from project_memberships
      where project_id = ${this.projectId} and identity_id = ${identityId}`.execute(db)
    return token
  }

  get #place() {
    return { projectId: this.projectId, environment: 'dev' }
  }
}

const path = (name: string) => `/api/v4/secrets/${encodeURIComponent(name)}`

/** Straight into the tables, as for machines. */
export const joinUser = async (db: Db, projectId: string, { userId, role }: { userId: string; role: string }) => {
  const id = newId()
  await sql`
    insert into project_memberships (id, project_id, organization_id, user_id)
    select ${id}, id, organization_id, ${userId} from projects where id = ${projectId}`.execute(db)
  await sql`insert into project_membership_roles (id, membership_id, role) values (${newId()}, ${id}, ${role})`.execute(
    db,
  )
}
