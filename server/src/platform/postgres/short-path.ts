import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** `sun_path` holds 108 bytes on Linux, 104 on macOS, with the closing zero. */
const MAX_SOCKET_PATH_BYTES = 103

export const fitsSocket = (path: string) => Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES

/** Gives the work a path to the same socket that is short enough to bind or connect to. */
export const withShortPath = async <T>(path: string, work: (shortPath: string) => Promise<T>): Promise<T> => {
  if (fitsSocket(path)) return work(path)

  const detour = await mkdtemp(join(fitsSocket(join(tmpdir(), 'x'.repeat(50))) ? tmpdir() : '/tmp', 'holdfast-'))
  try {
    const link = join(detour, 'd')
    await symlink(dirname(path), link)
    return await work(join(link, basename(path)))
  } finally {
    await rm(detour, { recursive: true, force: true })
  }
}
