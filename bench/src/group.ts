import pg from 'pg'
import { inParallel } from './api.ts'
import type { Request } from './load/request.ts'
import { Skipped } from './skipped.ts'
import type { Tenant } from './tenant.ts'

export const PAGE = 100
const PATH = '/api/v1/groups'
const SET_UP_SECONDS_MAX = 60
/** Enough to tell how long the rest will take. */
const FIRST_MEMBERS = 100

/** A group of machine identities. */
export class Group {
  readonly #tenant: Tenant
  readonly #id: string

  private constructor(tenant: Tenant, id: string) {
    this.#tenant = tenant
    this.#id = id
  }

  /** With so many members; without the database at hand, unless this would take too long. */
  static async create(tenant: Tenant, size: number, databaseUrl: string | undefined): Promise<Group> {
    const answer = await tenant.post(PATH, { name: `Bench ${Date.now()}-${Math.floor(Math.random() * 1e6)}` })
    const group = new Group(tenant, answer.text('id'))
    await (databaseUrl === undefined ? group.#add(size) : group.#fill(size, databaseUrl))
    return group
  }

  pageRequest(offset: number): Request {
    return {
      method: 'GET',
      path: `${PATH}/${this.#id}/members?limit=${PAGE}&offset=${offset}`,
      token: this.#tenant.token,
    }
  }

  async #add(size: number): Promise<void> {
    const startedAt = performance.now()
    const first = Math.min(size, FIRST_MEMBERS)
    await this.#addSome({ from: 0, to: first })
    const seconds = ((performance.now() - startedAt) / 1_000 / first) * (size - first)
    if (seconds > SET_UP_SECONDS_MAX)
      throw new Skipped(`not measured: adding ${size} members would take ${Math.round(seconds)} s`)
    await this.#addSome({ from: first, to: size })
  }

  #addSome(numbers: { from: number; to: number }): Promise<void> {
    return inParallel(numbers, async (number) => {
      const identityId = await this.#tenant.createIdentity('no-access', `member ${number}`)
      await this.#tenant.post(`${PATH}/${this.#id}/machine-identities/${identityId}`, {})
    })
  }

  /** Through the API a hundred thousand would take minutes. The group is new, so nothing is known of it yet. */
  async #fill(size: number, databaseUrl: string): Promise<void> {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    try {
      await client.query(
        `with machines as (
          insert into identities (id, organization_id, name)
          select gen_random_uuid(), $1, 'member ' || i from generate_series(1, $3::integer) i returning id, organization_id
        ), members as (
          insert into organization_memberships (id, organization_id, identity_id)
          select gen_random_uuid(), organization_id, id from machines returning id, organization_id, identity_id
        ), roles as (
          insert into organization_membership_roles (id, membership_id, role)
          select gen_random_uuid(), id, 'no-access' from members
        )
        insert into group_members (id, group_id, organization_id, identity_id)
        select gen_random_uuid(), $2, organization_id, identity_id from members`,
        [this.#tenant.organizationId, this.#id, size],
      )
      // As PostgreSQL would by itself within a minute.
      await client.query('analyze identities, organization_memberships, organization_membership_roles, group_members')
    } finally {
      await client.end()
    }
  }
}
