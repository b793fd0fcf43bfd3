import { unavailable } from '../../lib/app-error.ts'

/** Argon2id with the memory that OWASP asks for (19 MiB) and a pass more: some 50 ms. */
const COST = { memoryCost: 19_456, timeCost: 3, parallelism: 1 } as const
/** Each hash takes a thread of the pool of four that files and name lookups also need. */
const CONCURRENT_MAX = 2
/** Some two seconds of work: who comes later would have given up anyway. */
const WAITING_MAX = 64
const RETRY_AFTER_SECONDS = 2

/** Of a password that nobody knows: checked where there is no user, so that nobody can tell by the time it takes. */
export const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=3,p=1$bjCr0o5DmYcZS7kwPMglYw$qJV8d9aODUftlYyHvmnGvz0HxPIa1hEEOzHzdXhnwCQ'

/** Hashes of people's passwords: slow by design, so only a few are worked on at a time. */
export class PasswordHasher {
  #running = 0
  readonly #waiting: (() => void)[] = []

  hash(password: string): Promise<string> {
    return this.#inTurn(async () => (await argon2()).hash(password, COST))
  }

  /**
   * Takes the same time whether or not there is a hash. `admit` is called when the turn has come, just before the work,
   * and may throw to refuse it.
   */
  verify(hash: string | null | undefined, password: string, admit: () => Promise<void>): Promise<boolean> {
    return this.#inTurn(async () => {
      await admit()
      const isRight = await (await argon2()).verify(hash ?? NOBODYS_HASH, password)
      return isRight && typeof hash === 'string'
    })
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= CONCURRENT_MAX) await this.#wait()
    else this.#running++
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= WAITING_MAX) {
      throw unavailable('Too many people are logging in at the moment, please try again', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}

/** Loaded when the first password comes: most processes of a machine's life never see one. */
const argon2 = () => import('@node-rs/argon2')
