import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

export type Verdict = { isOk: boolean; output: string }

/** The judge of what we sign: the `openssl` of the machine, in a folder that is gone when the test file ends. */
export class OpenSsl {
  #made: Promise<string> | undefined

  constructor() {
    after(async () => this.#made && rm(await this.#made, { recursive: true, force: true }))
  }

  /** Writes the files, then runs `openssl` among them. Nothing is thrown: a refusal is a verdict too. */
  async run(args: readonly string[], files: Record<string, string | Buffer> = {}): Promise<Verdict> {
    const cwd = await this.#folder()
    for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), content)
    return new Promise((resolve) => {
      execFile('openssl', args, { cwd, timeout: 30_000 }, (error, stdout, stderr) => {
        resolve({ isOk: error === null, output: stdout + stderr })
      })
    })
  }

  async read(file: string): Promise<Buffer> {
    return readFile(join(await this.#folder(), file))
  }

  /** Only when it is needed: a file that fails before its tests would leave it behind. */
  #folder(): Promise<string> {
    return (this.#made ??= mkdtemp(join(tmpdir(), 'holdfast-openssl-')))
  }
}
