/** `refused`: it is not a place one may go to, or there is no such place. `failed`: it did not answer as it should. */
export type OutboundFailure = 'refused' | 'failed'

/** The message is for callers and says nothing about the network; the cause is for the log. */
export class OutboundError extends Error {
  readonly failure: OutboundFailure

  constructor(failure: OutboundFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'OutboundError'
    this.failure = failure
  }
}
