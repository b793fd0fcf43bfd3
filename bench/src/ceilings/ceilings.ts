import { Child } from '../child.ts'
import type { Meter } from '../meter.ts'
import type { Outcome } from '../load/load.ts'
import type { Request } from '../load/request.ts'
import { type CeilingName, ceilingBytes, ceilingPath } from './ceiling.ts'

export type Ceiling = { name: CeilingName; bytes: number; connections: number; perSecond: number; outcome: Outcome }

type Measured = { request: Request; bytes: number; connections: number }

/** Measures each ceiling once, when a case first asks for it: beside the case, on the same machine and database. */
export class Ceilings {
  readonly #child: Child
  readonly #url: string
  readonly #meter: Meter
  readonly #measured = new Map<string, Promise<Ceiling>>()

  private constructor(child: Child, url: string, meter: Meter) {
    this.#child = child
    this.#url = url
    this.#meter = meter
  }

  static async start(databaseUrl: string, meter: Meter, signal: AbortSignal): Promise<Ceilings> {
    const child = new Child(new URL('./ceiling-server.js', import.meta.url), signal)
    try {
      const { url } = await child.ask<{ url: string }>({ databaseUrl })
      return new Ceilings(child, url, meter)
    } catch (error) {
      await child.stop()
      throw error
    }
  }

  /** For the same method, body and number of bytes as the case has. */
  of(name: CeilingName, { request, bytes: exactBytes, connections }: Measured): Promise<Ceiling> {
    const bytes = ceilingBytes(exactBytes)
    const key = [name, request.method, bytes, connections].join()
    let ceiling = this.#measured.get(key)
    if (!ceiling) {
      ceiling = this.#measure({ ...request, path: ceilingPath(name, bytes) }, connections).then((outcome) => ({
        ...{ name, bytes, connections },
        perSecond: outcome.perSecond,
        outcome,
      }))
      this.#measured.set(key, ceiling)
    }
    return ceiling
  }

  /** Those that were asked for. */
  list(): Promise<Ceiling[]> {
    return Promise.all(this.#measured.values())
  }

  stop(): Promise<void> {
    return this.#child.stop()
  }

  async #measure(request: Request, connections: number): Promise<Outcome> {
    return (await this.#meter.measure({ url: this.#url, request, connections })).outcome
  }
}
