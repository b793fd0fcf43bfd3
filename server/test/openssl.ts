import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { readPems, toPem } from '../src/modules/pki/x509/pem.ts'

export type Verdict = { isOk: boolean; output: string }
type Files = Record<string, string | Buffer>
type Chained = { certificate: string; certificateChain: string }
type CsrWish = { key?: keyof typeof KEYS; extensions?: string }

const KEYS = {
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
  rsa: ['-newkey', 'rsa:2048'],
  weak: ['-newkey', 'rsa:1024'],
  ed25519: ['-newkey', 'ed25519'],
} as const

/** The judge of what we sign: the `openssl` of the machine, in a folder that is gone when the test file ends. */
export class OpenSsl {
  #made: Promise<string> | undefined

  constructor() {
    after(async () => this.#made && rm(await this.#made, { recursive: true, force: true }))
  }

  /** Writes the files, then runs `openssl` among them. Nothing is thrown: a refusal is a verdict too. */
  async run(args: readonly string[], files: Files = {}): Promise<Verdict> {
    const cwd = await this.#folder()
    for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), content)
    return new Promise((resolve) => {
      execFile('openssl', args, { cwd, timeout: 30_000 }, (error, stdout, stderr) => {
        resolve({ isOk: error === null, output: stdout + stderr })
      })
    })
  }

  /** The same for what must succeed. Returns what it says. */
  async do(args: readonly string[], files: Files = {}): Promise<string> {
    const { isOk, output } = await this.run(args, files)
    if (!isOk) throw new Error(output)
    return output
  }

  /** Whether there is a path from the certificate to the last of its chain. */
  trusts({ certificate, certificateChain }: Chained): Promise<Verdict> {
    const chain = readPems('CERTIFICATE', certificateChain).map((der) => toPem('CERTIFICATE', der))
    const files = { 'leaf.pem': certificate, 'root.pem': chain.at(-1) ?? '', 'chain.pem': chain.join('') }
    const how = ['-x509_strict', '-CAfile', 'root.pem', '-untrusted', 'chain.pem', 'leaf.pem']
    return this.run(['verify', ...how], files)
  }

  async describe(certificate: string): Promise<string> {
    return this.do(['x509', '-noout', '-text', '-in', 'shown.pem'], { 'shown.pem': certificate })
  }

  /** A signing request for a key that is made for it and stays in `key.pem`. */
  async csr(subject: string, { key = 'ec', extensions = '' }: CsrWish = {}): Promise<string> {
    const config = `[req]\ndistinguished_name=dn\n[dn]\n[ext]\n${extensions}\n`
    const asked = extensions === '' ? [] : ['-reqexts', 'ext']
    const files = ['-nodes', '-keyout', 'key.pem', '-out', 'req.pem', '-config', 'req.cnf']
    await this.do(['req', '-new', ...KEYS[key], '-subj', subject, ...asked, ...files], { 'req.cnf': config })
    return (await this.read('req.pem')).toString()
  }

  async read(file: string): Promise<Buffer> {
    return readFile(join(await this.#folder(), file))
  }

  /** Only when it is needed: a file that fails before its tests would leave it behind. */
  #folder(): Promise<string> {
    return (this.#made ??= mkdtemp(join(tmpdir(), 'holdfast-openssl-')))
  }
}
