import type { Clock } from '../src/platform/clock.ts'

/** The real clock, moved by hand: what waits for hours in life takes no time in a test. */
export class TestClock implements Clock {
  #offsetMs = 0
  #real: Clock = Date

  following(real: Clock): this {
    this.#real = real
    return this
  }

  now(): number {
    return this.#real.now() + this.#offsetMs
  }

  advance(ms: number): void {
    this.#offsetMs += ms
  }
}
