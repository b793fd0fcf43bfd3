/** Tells a person what is being done and how long it took: a counting line on a terminal, plain lines elsewhere. */
export class Progress {
  readonly #out: NodeJS.WriteStream
  readonly #isLive: boolean

  constructor(out: NodeJS.WriteStream = process.stdout) {
    this.#out = out
    this.#isLive = out.isTTY
  }

  async step<T>(title: string, work: (report: (detail: string) => void) => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    let detail = ''
    const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
    const show = () => this.#rewrite(`  … ${title}${detail && `: ${detail}`} (${seconds()})`)
    const timer = setInterval(show, 100)
    try {
      const result = await work((text) => {
        if (text === detail) return
        detail = text
        if (this.#isLive) show()
        else this.line(`  … ${title}: ${text}`)
      })
      this.#rewrite('')
      this.line(`  ✓ ${title} (${seconds()})`)
      return result
    } catch (error) {
      this.#rewrite('')
      this.line(`  ✗ ${title} (${seconds()})`)
      throw error
    } finally {
      clearInterval(timer)
    }
  }

  line(text: string): void {
    this.#out.write(`${text}\n`)
  }

  #rewrite(text: string): void {
    if (this.#isLive) this.#out.write(`\r\x1b[2K${text}`)
  }
}
