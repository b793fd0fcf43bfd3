import { AppError } from '../../../lib/app-error.ts'

/** What was sent is not the certificate, request or name it should be. Uncaught, the caller is told that the request was bad. */
export class UnreadableError extends AppError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super('bad-request', message, options)
    this.name = 'UnreadableError'
  }
}
