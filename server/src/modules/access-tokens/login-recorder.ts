import type { Logger } from 'pino'
import { UsageRecorder } from './usage-recorder.ts'

/** The last login of a member by one method. */
export type Login = { membershipId: string; authMethod: string; at: Date }

type Deps = {
  /** The module that keeps memberships. */
  organizations: { recordLogins: (logins: readonly Login[]) => Promise<unknown> }
  log: Logger
}

/** Remembers when machine identities last logged in, without a write per login. */
export class LoginRecorder {
  readonly #recorder: UsageRecorder

  constructor({ organizations, log }: Deps) {
    this.#recorder = new UsageRecorder({
      log,
      write: (usages) => {
        const logins = new Map(usages.map(({ key, lastAt }) => [membershipOf(key), loginOf(key, lastAt)]))
        return organizations.recordLogins([...logins.values()])
      },
    })
  }

  note(membershipId: string, authMethod: string, atMs: number): void {
    this.#recorder.note(`${membershipId} ${authMethod}`, atMs)
  }

  close(): Promise<void> {
    return this.#recorder.close()
  }
}

const membershipOf = (key: string): string => key.slice(0, key.indexOf(' '))

const loginOf = (key: string, at: Date): Login => {
  const membershipId = membershipOf(key)
  return { membershipId, authMethod: key.slice(membershipId.length + 1), at }
}
