import { codeOf } from '../../lib/error-code.ts'
import { OperatorError } from '../../lib/operator-error.ts'

/** The database cannot run on this data directory or machine. */
export class DataDirectoryError extends OperatorError {}

/** Failures of the file system that are the folder's and not the program's. */
const FOLDER_FAILURES = new Set([
  ...['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EEXIST', 'ENOTSUP', 'EOPNOTSUPP', 'ENAMETOOLONG'],
  ...['ELOOP', 'ENOENT', 'EINVAL', 'EIO', 'ENODEV', 'ENXIO'],
])
const MESSAGE_LENGTH_MAX = 160

/** The error as it is where the folder is not to blame for it. */
export const asDataDirectoryError = (error: unknown, dataDir: string): unknown =>
  error instanceof Error && FOLDER_FAILURES.has(codeOf(error) ?? '')
    ? new DataDirectoryError(
        `${shortened(dataDir)} cannot be used (${shortened(error.message)}): mend that, or point HOLDFAST_DATA_DIR elsewhere.`,
        { cause: error },
      )
    : error

/** A path that is too long for the system is too long for people. */
const shortened = (text: string): string =>
  text.length <= MESSAGE_LENGTH_MAX ? text : `${text.slice(0, MESSAGE_LENGTH_MAX)}…`
