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
  #size = 0

  private constructor(tenant: Tenant, id: string) {
    this.#tenant = tenant
    this.#id = id
  }

  static async create(tenant: Tenant): Promise<Group> {
    const answer = await tenant.post(PATH, { name: `Bench ${Date.now()}-${Math.floor(Math.random() * 1e6)}` })
    return new Group(tenant, answer.text('id'))
  }

  /** Adds members up to that number, unless this would take too long. */
  async growTo(size: number): Promise<void> {
    const startedAt = performance.now()
    const before = this.#size
    await this.#addUpTo(Math.min(size, before + FIRST_MEMBERS))
    const secondsEach = (performance.now() - startedAt) / 1_000 / (this.#size - before)
    const seconds = secondsEach * (size - this.#size)
    if (seconds > SET_UP_SECONDS_MAX)
      throw new Skipped(`not measured: adding ${size} members would take ${Math.round(seconds)} s`)
    await this.#addUpTo(size)
  }

  pageRequest(offset: number): Request {
    return {
      method: 'GET',
      path: `${PATH}/${this.#id}/members?limit=${PAGE}&offset=${offset}`,
      token: this.#tenant.token,
    }
  }

  async #addUpTo(size: number): Promise<void> {
    await inParallel({ from: this.#size, to: size }, async (number) => {
      const identityId = await this.#tenant.createIdentity('no-access', `member ${number}`)
      await this.#tenant.post(`${PATH}/${this.#id}/machine-identities/${identityId}`, {})
    })
    this.#size = size
  }
}
