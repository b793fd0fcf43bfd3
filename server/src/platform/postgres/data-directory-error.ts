import { OperatorError } from '../../lib/operator-error.ts'

/** The database cannot run on this data directory or machine. */
export class DataDirectoryError extends OperatorError {}
