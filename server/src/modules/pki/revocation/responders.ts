import { hash } from 'node:crypto'
import { TrustedCache } from '../../../platform/changes/cache.ts'
import type { ChangeFeed } from '../../../platform/changes/feed.ts'
import type { Clock } from '../../../platform/clock.ts'
import { type Issuer, issueCertificate, newSerialNumber } from '../x509/certificate.ts'
import { issuerOf, partsOfCertificate } from '../x509/certificate-parts.ts'
import { keyBitsOf, keyIdentifierOf } from '../x509/extensions.ts'
import { exportPublicKey, generateKeyPair, type KeyPair } from '../x509/key-algorithms.ts'
import type { Signers } from './list-maker.ts'
import type { CertificateId } from './ocsp-request.ts'
import type { Responder } from './ocsp-response.ts'

type Deps = { changes: ChangeFeed; clock: Clock; signers: Signers }

/** Of one authority: who answers for it, and how clients name it. */
export type AuthorityResponder = Responder & {
  expiresAt: number
  issuerHashes: Record<'sha1' | 'sha256', IssuerHashes>
}
type IssuerHashes = { name: Buffer; key: Buffer }

const CACHED_MAX = 1_000
const HOUR_MS = 60 * 60_000
const LIFETIME_MS = 24 * HOUR_MS
/** Answers must not outlive the certificate they are signed by. */
const RENEWED_BEFORE_MS = 2 * HOUR_MS
/** For clients whose clock is behind. */
const BACKDATED_MS = 60_000

/**
 * Answers are signed by a key of this process, never by that of the authority: whoever asks makes us sign bytes of their
 * choosing, as often as they like. The key is born with the process and is on no disk; each authority certifies it for
 * a day. It is P-256 whatever the authority has, so that an answer costs a tenth of a millisecond.
 */
export class Responders {
  readonly #deps: Deps
  readonly #cache: TrustedCache<AuthorityResponder>
  #keys: Promise<KeyPair> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#cache = new TrustedCache(deps.changes, CACHED_MAX)
  }

  /** Undefined when there is no such authority, or it has no certificate. */
  async of(caId: string): Promise<AuthorityResponder | undefined> {
    const ask = [caId, [`certificate-authority:${caId}`], () => this.#certify(caId)] as const
    const kept = await this.#cache.get(...ask)
    const isOld = kept !== undefined && kept.expiresAt - this.#deps.clock.now() < RENEWED_BEFORE_MS
    return isOld ? this.#cache.reload(...ask) : kept
  }

  async #certify(caId: string): Promise<AuthorityResponder | undefined> {
    const signer = await this.#deps.signers.signer(caId)
    if (!signer) return undefined
    const { publicKey, privateKey } = await (this.#keys ??= generateKeyPair('EC_prime256v1'))
    const authority = partsOfCertificate(signer.issuer.certificate)
    const now = this.#deps.clock.now()
    const notAfter = new Date(now + LIFETIME_MS)
    const certificate = issueCertificate(
      {
        subject: { commonName: 'OCSP responder' },
        altNames: [],
        publicKey,
        notBefore: new Date(Math.max(now - BACKDATED_MS, Math.min(now, authority.notBefore.getTime()))),
        notAfter,
        serialNumber: newSerialNumber(),
        keyUsages: ['digitalSignature'],
        extendedKeyUsages: ['ocspSigning'],
        basicConstraints: { isCa: false },
        crlUrls: [],
        hasNoRevocationCheck: true,
      },
      signer.issuer,
    )
    return {
      key: privateKey,
      signatureAlgorithm: 'ECDSA-SHA256',
      keyHash: keyIdentifierOf(exportPublicKey(publicKey)),
      certificate,
      expiresAt: notAfter.getTime(),
      issuerHashes: { sha1: hashesOf(signer.issuer, 'sha1'), sha256: hashesOf(signer.issuer, 'sha256') },
    }
  }
}

/** Whether a client means this authority. */
export const isNamedBy = ({ issuerHashes }: AuthorityResponder, id: CertificateId): boolean => {
  const hashes = id.hash && issuerHashes[id.hash]
  return hashes !== undefined && hashes.name.equals(id.issuerNameHash) && hashes.key.equals(id.issuerKeyHash)
}

const hashesOf = ({ certificate }: Issuer, algorithm: 'sha1' | 'sha256'): IssuerHashes => {
  const { name, publicKey } = issuerOf(certificate)
  return { name: hash(algorithm, name, 'buffer'), key: hash(algorithm, keyBitsOf(publicKey), 'buffer') }
}
