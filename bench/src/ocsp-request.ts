import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Skipped } from './skipped.ts'

/** The question whether a serial number of an authority is good, as openssl asks it. */
export const ocspRequest = async (authorityPem: string, serialNumber: string): Promise<Buffer> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'holdfast-bench-'))
  const issuer = path.join(directory, 'issuer.pem')
  const request = path.join(directory, 'request.der')
  try {
    await writeFile(issuer, authorityPem)
    const args = ['ocsp', '-issuer', issuer, '-serial', `0x${serialNumber}`, '-no_nonce', '-reqout', request]
    await promisify(execFile)('openssl', args)
    return await readFile(request)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new Skipped('not measured: openssl is not installed')
    throw error
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
