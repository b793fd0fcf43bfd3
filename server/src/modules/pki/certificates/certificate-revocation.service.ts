import { badRequest } from '../../../lib/app-error.ts'
import type { ChangeFeed } from '../../../platform/changes/feed.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database, Tx } from '../../../platform/db/db.ts'
import type { AuditLog } from '../../audit/audit.service.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { Revocations } from '../revocation/revocations.service.ts'
import { type CertificateAddress, type CertificateLookup, noSuchCertificate } from './certificate-lookup.service.ts'
import * as store from './certificates.store.ts'
import type { CertificateRow } from './certificates.store.ts'
import { isOnHold, isRaisedBy, numberOf, type RevocationReason } from './revocation-reasons.ts'

type Deps = {
  db: Database
  audit: AuditLog
  changes: ChangeFeed
  clock: Clock
  revocations: Revocations
  certificateLookup: CertificateLookup
}

/** Takes certificates back, and gives back those that were only held. */
export class CertificateRevocationService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A certificate that is revoked already stays revoked since when it was; its reason may become a graver one. */
  async revoke(actor: Actor, address: CertificateAddress, revocationReason: RevocationReason) {
    const { id, caId, askAgain } = await this.#revocable(actor, address, 'revoked')
    const revoked = await this.#deps.db.transaction(async (tx) => {
      const certificate = await this.#lock(tx, id, caId)
      askAgain(certificate)
      const { commonName: cn, serialNumber } = certificate
      const revokedAt = await this.#mark(tx, caId, certificate, numberOf(revocationReason))
      const metadata = { certId: id, cn, serialNumber, revocationReason }
      await this.#announce(tx, actor, 'revoke-cert', { certificate, metadata })
      return { serialNumber, revokedAt }
    })
    await this.#deps.revocations.published(caId)
    return revoked
  }

  /** Only a hold can be lifted. */
  async release(actor: Actor, address: CertificateAddress): Promise<CertificateRow> {
    const { id, caId, askAgain } = await this.#revocable(actor, address, 'active')
    const released = await this.#deps.db.transaction(async (tx) => {
      const certificate = await this.#lock(tx, id, caId)
      askAgain(certificate)
      const { commonName: cn, serialNumber, revocationReason } = certificate
      if (!isOnHold(revocationReason))
        throw badRequest('Only a certificate that is revoked as CERTIFICATE_HOLD can be released')
      await this.#deps.revocations.release(tx, { caId, serialNumber, releasedAt: this.#now() })
      const active = await store.markReleased(tx, id)
      await this.#announce(tx, actor, 'unrevoke-cert', { certificate, metadata: { certId: id, cn, serialNumber } })
      return active
    })
    await this.#deps.revocations.published(caId)
    return released
  }

  async #revocable(actor: Actor, address: CertificateAddress, status: CertificateRow['status']) {
    const certificate = await this.#deps.certificateLookup.reach(actor, address, 'delete')
    const { id, caId } = certificate
    if (caId === null) {
      throw badRequest('No authority here issued this certificate, so there is no list that could say it is revoked')
    }
    // Rules may speak of the status.
    const askAgain = await this.#deps.certificateLookup.requireUncoversNothing(actor, certificate, { status })
    return { id, caId, askAgain }
  }

  async #lock(tx: Tx, id: string, caId: string): Promise<CertificateRow> {
    await this.#deps.revocations.hold(tx, caId)
    const certificate = await store.lock(tx, id)
    if (!certificate) throw noSuchCertificate()
    return certificate
  }

  /** Returns since when it is revoked. */
  async #mark(tx: Tx, caId: string, certificate: CertificateRow, reason: number): Promise<Date> {
    const { id, serialNumber, notAfter, revokedAt: since, revocationReason: present } = certificate
    if (since && present !== null && !isRaisedBy(present, reason)) return since
    const revokedAt = since ?? this.#now()
    await this.#deps.revocations.revoke(tx, { caId, serialNumber, notAfter, revokedAt, reason })
    await store.markRevoked(tx, id, { revokedAt, revocationReason: reason })
    return revokedAt
  }

  async #announce(
    tx: Tx,
    actor: Actor,
    type: 'revoke-cert' | 'unrevoke-cert',
    { certificate: { id, projectId }, metadata }: { certificate: CertificateRow; metadata: object },
  ): Promise<void> {
    await this.#deps.audit.record(tx, actor, { type, projectId, metadata })
    const kind = type === 'revoke-cert' ? 'certificate-revoked' : 'certificate-released'
    await this.#deps.changes.append(tx, { scope: `certificate:${id}`, kind })
  }

  #now(): Date {
    return new Date(this.#deps.clock.now())
  }
}
