import assert from 'node:assert/strict'

/** One update of one item: the version that it made. */
export type Update = { id: string; key: number; version: number }

type Delivery = Update & { atMs: number }

/** Knows what was acknowledged, and holds every process to it. */
export class Ledger {
  readonly #acknowledgedAt = new Map<string, number>()
  readonly #acknowledgedVersions = new Map<string, number>()
  readonly #undone = new Set<string>()
  readonly #unknown = new Set<string>()
  readonly staleServings: string[] = []
  servings = 0

  acknowledge({ id, key, version }: Update): void {
    this.#unknown.delete(id)
    this.#acknowledgedAt.set(id, performance.now())
    this.#acknowledgedVersions.set(`${key}@${version}`, performance.now())
  }

  undo(id: string): void {
    this.#unknown.delete(id)
    this.#undone.add(id)
  }

  doubt(id: string): void {
    this.#unknown.add(id)
  }

  get counts() {
    return { acknowledged: this.#acknowledgedAt.size, undone: this.#undone.size, unknown: this.#unknown.size }
  }

  /** A cache has served a version at this moment: its successor must not have been there for more than a second. */
  serve(key: number, version: number): void {
    this.servings++
    const replacedAt = this.#acknowledgedVersions.get(`${key}@${version + 1}`)
    const lateMs = replacedAt === undefined ? 0 : performance.now() - replacedAt
    if (lateMs > 1_000) this.staleServings.push(`item ${key} in version ${version}, ${lateMs} ms after its change`)
  }

  /** None lost, none doubled, none out of order, none that did not happen. */
  check(deliveries: readonly Delivery[]): void {
    const ids = new Set(deliveries.map(({ id }) => id))
    assert.equal(ids.size, deliveries.length, 'doubled')
    assert.deepEqual(
      [...this.#acknowledgedAt.keys()].filter((id) => !ids.has(id)),
      [],
      'lost',
    )
    assert.deepEqual(
      [...ids].filter((id) => this.#undone.has(id)),
      [],
      'never happened',
    )
    const unexplained = [...ids].filter((id) => !this.#acknowledgedAt.has(id) && !this.#unknown.has(id))
    assert.deepEqual(unexplained, [], 'unexplained')

    const versions = new Map<number, number>()
    for (const { key, version } of deliveries) {
      // Each transaction held the lock of its item, so versions have no gaps.
      assert.equal(version, (versions.get(key) ?? 0) + 1, `item ${key} out of order`)
      versions.set(key, version)
    }
  }

  /** From the acknowledgement to the delivery, for the updates that were acknowledged outside the given times. */
  delaysMs(deliveries: readonly Delivery[], isDisturbed: (atMs: number) => boolean): number[] {
    return deliveries.flatMap(({ id, atMs }) => {
      const acknowledgedAt = this.#acknowledgedAt.get(id)
      return acknowledgedAt === undefined || isDisturbed(acknowledgedAt) ? [] : [atMs - acknowledgedAt]
    })
  }
}

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((left, right) => left - right)[Math.floor(share * (values.length - 1))] ?? NaN
