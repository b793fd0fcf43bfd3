import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unless } from '../../lib/error-code.ts'

/** `status` is missing while the file is being written. */
export type PostmasterFile = { pid: number; status: string | undefined }

/** PostgreSQL's `miscadmin.h` numbers the lines of `postmaster.pid`. */
const STATUS_LINE = 7

export const postmasterFilePath = (directory: string) => join(directory, 'postmaster.pid')

/** Undefined if there is none; 'damaged' if a crash left it without a pid, which PostgreSQL would refuse to start over. */
export const readPostmasterFile = async (directory: string): Promise<PostmasterFile | 'damaged' | undefined> => {
  const text = await unless(['ENOENT'], readFile(postmasterFilePath(directory), 'utf8'))
  if (text === undefined) return undefined
  const lines = text.split('\n')
  const pid = Number(/^\d{1,10}$/.exec(lines[0] ?? '')?.[0] ?? 0)
  return pid > 0 ? { pid, status: lines[STATUS_LINE]?.trim() || undefined } : 'damaged'
}
