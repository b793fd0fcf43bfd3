import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/db.ts'
import { UsageRecorder } from '../access-tokens/usage-recorder.ts'
import { AUTH_METHOD } from './listed-tokens.service.ts'
import * as store from './listed-tokens.store.ts'

type Deps = { db: Database; clock: Clock; log: Logger }

/** A token that works every second is written down every minute. */
const PERIOD_MS = 60_000

/** Remembers when the tokens that are listed were last used, beside the requests that use them. */
export class TokenUses {
  readonly #clock: Clock
  readonly #recorder: UsageRecorder

  constructor({ db, clock, log }: Deps) {
    this.#clock = clock
    this.#recorder = new UsageRecorder({ write: (uses) => store.noteUses(db.pool, uses), log, periodMs: PERIOD_MS })
  }

  note({ id, authMethod }: { id: string; authMethod: string }): void {
    if (authMethod === AUTH_METHOD) this.#recorder.note(id, this.#clock.now())
  }

  close(): Promise<void> {
    return this.#recorder.close()
  }
}
