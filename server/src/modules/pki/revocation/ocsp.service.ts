import type { Logger } from 'pino'
import { AppError } from '../../../lib/app-error.ts'
import { isUuid } from '../../../lib/uuid.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/db.ts'
import { UnreadableError } from '../x509/unreadable-error.ts'
import { type OcspRequest, readOcspRequest } from './ocsp-request.ts'
import { type CertificateStatus, encodeAnswer, encodeRefusal } from './ocsp-response.ts'
import { isNamedBy, type Responders } from './responders.ts'
import * as store from './revocations.store.ts'

type Deps = { db: Database; clock: Clock; log: Logger; responders: Responders }

export type OcspReply = {
  body: Buffer
  /** How long others may keep it; zero for a refusal, and for what answers a nonce. */
  freshSeconds: number
}

const REQUEST_BYTES_MAX = 8 * 1_024
const VALID_MS = 10 * 60_000
/** Short, so that a revocation is not hidden by a cache for long. */
const FRESH_SECONDS = 60

/** Says of single certificates whether they are good (RFC 6960). */
export class OcspService {
  readonly #deps: Deps
  readonly requestBytesMax = REQUEST_BYTES_MAX

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** `request` is undefined when it was too large to be read. Whatever goes wrong is said in the words of the protocol. */
  async answer(caId: string, request: Buffer | undefined): Promise<OcspReply> {
    try {
      if (!request || request.length > REQUEST_BYTES_MAX) return refuse('malformedRequest')
      return await this.#answer(caId, readOcspRequest(request))
    } catch (error) {
      if (error instanceof UnreadableError) return refuse('malformedRequest')
      if (error instanceof AppError && error.kind === 'unavailable') return refuse('tryLater')
      this.#deps.log.error({ err: error, caId }, 'a question about a certificate could not be answered')
      return refuse('internalError')
    }
  }

  async #answer(caId: string, { certificates, nonce }: OcspRequest): Promise<OcspReply> {
    const responder = isUuid(caId) ? await this.#deps.responders.of(caId) : undefined
    if (!responder || !certificates.every((id) => isNamedBy(responder, id))) return refuse('unauthorized')

    const serialNumbers = [...new Set(certificates.map(({ serialNumber }) => serialNumber))]
    const rows = await store.listStatuses(this.#deps.db.pool, caId, serialNumbers)
    const known = new Map(rows.map((row) => [row.serialNumber, statusOf(row)]))
    const now = this.#deps.clock.now()
    const answer = {
      producedAt: new Date(now),
      nextUpdate: new Date(now + VALID_MS),
      statuses: certificates.map(({ raw, serialNumber }) => ({ id: raw, status: known.get(serialNumber) ?? UNKNOWN })),
      nonce,
    }
    return { body: encodeAnswer(answer, responder), freshSeconds: nonce ? 0 : FRESH_SECONDS }
  }
}

const UNKNOWN: CertificateStatus = { status: 'unknown' }

const refuse = (refusal: Parameters<typeof encodeRefusal>[0]): OcspReply => ({
  body: encodeRefusal(refusal),
  freshSeconds: 0,
})

/** Good is only what the authority has issued: a forged certificate is not. */
const statusOf = ({ isIssued, revokedAt, reason }: store.Status): CertificateStatus => {
  if (revokedAt !== null) return { status: 'revoked', revokedAt, reason: reason ?? 0 }
  return isIssued ? { status: 'good' } : UNKNOWN
}
