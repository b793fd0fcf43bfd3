const USES_BEFORE_NAMING = 3
const TEXTS_MAX = 1_000
const NAMES_MAX = 300

/**
 * Decides which statements are worth preparing: those whose text has come several times. PostgreSQL keeps a named
 * statement for the life of a connection, so their number is bounded.
 */
export class StatementNames {
  readonly #uses = new Map<string, number>()
  readonly #names = new Map<string, string>()

  nameOf(text: string): string | undefined {
    const name = this.#names.get(text)
    if (name !== undefined || this.#names.size >= NAMES_MAX) return name

    const uses = (this.#uses.get(text) ?? 0) + 1
    if (uses >= USES_BEFORE_NAMING) {
      this.#uses.delete(text)
      this.#names.set(text, `hf_${this.#names.size}`)
    } else {
      if (this.#uses.size >= TEXTS_MAX) this.#uses.clear()
      this.#uses.set(text, uses)
    }
    return this.#names.get(text)
  }
}
