import type { KeyObject } from 'node:crypto'
import {
  bitString,
  context,
  enumerated,
  generalizedTime,
  implicit,
  objectIdentifier,
  octetString,
  sequence,
} from '../x509/der.ts'
import { extension } from '../x509/extensions.ts'
import { encodeSignatureAlgorithm, signWith, type SignatureAlgorithm } from '../x509/key-algorithms.ts'
import { REASON } from './list-entry.ts'
import { NONCE } from './ocsp-request.ts'

/** RFC 6960 4.2.1: why there is no answer. */
const REFUSALS = { malformedRequest: 1, internalError: 2, tryLater: 3, unauthorized: 6 } as const
export type OcspRefusal = keyof typeof REFUSALS

export type CertificateStatus =
  { status: 'good' } | { status: 'unknown' } | { status: 'revoked'; revokedAt: Date; reason: number }

export type OcspAnswer = {
  producedAt: Date
  nextUpdate: Date
  statuses: { id: Buffer; status: CertificateStatus }[]
  nonce: Buffer | undefined
}

/** Who answers: a key with a certificate of the authority that says it may. */
export type Responder = {
  key: KeyObject
  signatureAlgorithm: SignatureAlgorithm
  keyHash: Buffer
  certificate: Buffer
}

const SUCCESSFUL = enumerated(0)
const BASIC_RESPONSE = objectIdentifier('1.3.6.1.5.5.7.48.1.1')
const GOOD = implicit(0, Buffer.alloc(0))
const UNKNOWN = implicit(2, Buffer.alloc(0))

export const encodeRefusal = (refusal: OcspRefusal): Buffer => sequence(enumerated(REFUSALS[refusal]))

export const encodeAnswer = (
  answer: OcspAnswer,
  { key, signatureAlgorithm, keyHash, certificate }: Responder,
): Buffer => {
  const { producedAt, nextUpdate, statuses, nonce } = answer
  const times = [generalizedTime(producedAt), context(0, generalizedTime(nextUpdate))]
  const body = sequence(
    context(2, octetString(keyHash)),
    generalizedTime(producedAt),
    sequence(...statuses.map(({ id, status }) => sequence(id, encodeStatus(status), ...times))),
    ...(nonce ? [context(1, sequence(extension(NONCE, nonce)))] : []),
  )
  const basic = sequence(
    body,
    encodeSignatureAlgorithm(signatureAlgorithm),
    bitString(signWith(signatureAlgorithm, key, body)),
    context(0, sequence(certificate)),
  )
  return sequence(SUCCESSFUL, context(0, sequence(BASIC_RESPONSE, octetString(basic))))
}

const encodeStatus = (status: CertificateStatus): Buffer => {
  switch (status.status) {
    case 'good':
      return GOOD
    case 'unknown':
      return UNKNOWN
    case 'revoked': {
      const reason = status.reason === REASON.unspecified ? [] : [context(0, enumerated(status.reason))]
      return context(1, generalizedTime(status.revokedAt), ...reason)
    }
  }
}
