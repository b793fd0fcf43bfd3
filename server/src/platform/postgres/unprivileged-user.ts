import { readFile } from 'node:fs/promises'
import { unless } from '../../lib/error-code.ts'
import { run } from './command.ts'
import type { RunAs } from './command.ts'
import { DataDirectoryError } from './data-directory-error.ts'

export type SystemUser = { name: string; uid: number; gid: number }

/** Most fitting first; `nobody` and `daemon` exist nearly everywhere. */
const PREFERRED_USERS = ['holdfast', 'postgres', '_postgres', 'nobody', 'daemon']

/** Parses /etc/passwd. Negative ids, as macOS writes them, wrap around as the kernel reads them. */
export const parseUsers = (passwd: string): SystemUser[] =>
  passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':')
    if (name === undefined || !/^-?\d+$/.test(uid ?? '') || !/^-?\d+$/.test(gid ?? '')) return []
    return [{ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }]
  })

/** PostgreSQL refuses to run as root; this is the user root runs it as. */
export const findUnprivilegedUser = async (): Promise<SystemUser> => {
  const users = parseUsers((await unless(['ENOENT'], readFile('/etc/passwd', 'utf8'))) ?? '')
  for (const name of PREFERRED_USERS) {
    const user = users.find((candidate) => candidate.name === name && candidate.uid !== 0)
    if (user && (await run('/bin/sh', ['-c', ':'], user)).ok) return user
  }
  throw new DataDirectoryError(
    `PostgreSQL does not run as root, and none of the users ${PREFERRED_USERS.join(', ')} can be used instead: ` +
      'start Holdfast as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.',
  )
}

/** Asks the kernel, as that user, rather than guessing from modes. */
export const canWriteIn = async (directory: string, user: RunAs) =>
  (await run('/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', directory], user)).ok
