/** Where a member stands: by the text it is sorted by, then by its id. */
export type Place = { id: string; sortKey: string }
export type Slice = { offset: number; limit: number; orderDirection: 'asc' | 'desc' }

const WORDS = 4
const SPARE = 64

/**
 * Members in the order of their names. There may be very many, so an id is four numbers in an array that all share;
 * names are compared by their bytes in UTF-8, as PostgreSQL does in the collation "C".
 */
export class MemberOrder {
  #words: Int32Array
  readonly #sortKeys: string[]

  /** In order already: the ids in their binary form one after the other, and their sort keys. */
  constructor(ids: Uint8Array, sortKeys: string[]) {
    this.#sortKeys = sortKeys
    this.#words = new Int32Array((sortKeys.length + SPARE) * WORDS)
    new Uint8Array(this.#words.buffer).set(ids)
  }

  get size(): number {
    return this.#sortKeys.length
  }

  slice({ offset, limit, orderDirection }: Slice): string[] {
    const length = Math.max(0, Math.min(limit, this.size - offset))
    return Array.from({ length }, (_, index) =>
      this.#idAt(orderDirection === 'asc' ? offset + index : this.size - 1 - offset - index),
    )
  }

  /** Puts right where some members stand; those not among `present` are none. True when that concerned anyone here. */
  refresh(changed: readonly string[], present: readonly Place[]): boolean {
    const removed = changed.filter((id) => this.#remove(id))
    for (const place of present) this.#insert(place)
    return removed.length > 0 || present.length > 0
  }

  #remove(id: string): boolean {
    const index = this.#indexOf(wordsOf(id))
    if (index === -1) return false
    this.#words.copyWithin(index * WORDS, (index + 1) * WORDS, this.size * WORDS)
    this.#sortKeys.splice(index, 1)
    return true
  }

  #insert(place: Place): void {
    if (this.#words.length === this.size * WORDS) this.#grow()
    const index = this.#indexFor(place)
    this.#words.copyWithin((index + 1) * WORDS, index * WORDS, this.size * WORDS)
    this.#words.set(wordsOf(place.id), index * WORDS)
    this.#sortKeys.splice(index, 0, place.sortKey)
  }

  #grow(): void {
    const words = new Int32Array((this.size + Math.max(SPARE, this.size >> 3)) * WORDS)
    words.set(this.#words)
    this.#words = words
  }

  /** The last word is random, so that it alone tells nearly all ids apart. */
  #indexOf([first, second, third, last]: Int32Array): number {
    const words = this.#words
    const end = this.size * WORDS
    for (let at = 0; at < end; at += WORDS) {
      if (words[at + 3] !== last) continue
      if (words[at] === first && words[at + 1] === second && words[at + 2] === third) return at / WORDS
    }
    return -1
  }

  #indexFor(place: Place): number {
    let [low, high] = [0, this.size]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#isBefore(middle, place)) low = middle + 1
      else high = middle
    }
    return low
  }

  #isBefore(index: number, { id, sortKey }: Place): boolean {
    const order = compareBytes(this.#sortKeys[index] ?? '', sortKey)
    return order < 0 || (order === 0 && this.#idAt(index) < id)
  }

  #idAt(index: number): string {
    const hex = Buffer.from(this.#words.buffer, index * WORDS * 4, WORDS * 4).toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }
}

/** As the bytes lie in memory, like those that PostgreSQL sends. */
const wordsOf = (id: string): Int32Array =>
  new Int32Array(Uint8Array.from(Buffer.from(id.replaceAll('-', ''), 'hex')).buffer)

const compareBytes = (a: string, b: string): number => (a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b)))
