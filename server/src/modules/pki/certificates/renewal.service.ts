import { createPublicKey } from 'node:crypto'
import { badRequest, forbidden } from '../../../lib/app-error.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/db.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { KeyBox } from '../key-box.ts'
import { fromExtendedKeyUsages, fromKeyUsages } from '../policies/usage-names.ts'
import type { ProfileDefaults } from '../profiles/profile-defaults.ts'
import type { ProfileInUse, ProfileService } from '../profiles/profiles.service.ts'
import { readCertificate } from '../x509/certificate-reader.ts'
import { keyAlgorithmOf } from '../x509/key-algorithms.ts'
import { findBody } from './certificate-bodies.store.ts'
import type { IssueOrder, KeyWish } from './certificate-issuer.ts'
import { type CertificateAddress, type CertificateLookup, noSuchCertificate } from './certificate-lookup.service.ts'
import { statusOf } from './certificate-status.ts'
import type { WishedAttributes, WishedTerm } from './certificate-wish.ts'
import * as store from './certificates.store.ts'
import type { CertificateRow } from './certificates.store.ts'
import type { HandedOut, IssuanceService } from './issuance.service.ts'

type Deps = {
  db: Database
  clock: Clock
  keyBox: KeyBox
  certificateLookup: CertificateLookup
  certificateProfiles: ProfileService
  certificateIssuance: IssuanceService
}

export type Renewal = {
  renewalKeySource: 'new' | 'reuse' | 'csr'
  csr?: string | undefined
  attributes?: WishedAttributes | undefined
  removeRootsFromChain: boolean
}

/** What every certificate begins earlier than it is made. */
const BACKDATE_MS = 60_000

/** Issues certificates anew that are about to end. */
export class RenewalService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The same name and usages for as long as before, unless the request says otherwise. The old one stays valid. */
  async renew(actor: Actor, address: CertificateAddress, renewal: Renewal): Promise<HandedOut> {
    // Nothing is told of it, or done with it, for those who may not read it.
    const old = await this.#deps.certificateLookup.reach(actor, address, 'read')
    if (old.profileId === null) throw forbidden('Only a certificate that was issued from a profile can be renewed')
    const profile = await this.#deps.certificateProfiles.reach(actor, old.profileId, 'issue-cert')
    this.#requireRenewable(old)
    const order = await this.#order(actor, profile, old, renewal)
    return this.#deps.certificateIssuance.carryOut(
      actor,
      { ...order, friendlyName: old.friendlyName, kept: { ...order.kept, ...keptOf(old) } },
      {
        profile,
        removeRoots: renewal.removeRootsFromChain,
        type: 'renew-certificate',
        record: async (tx, row) => {
          const locked = await store.lock(tx, old.id)
          if (!locked) throw noSuchCertificate()
          this.#requireRenewable(locked)
          await store.markRenewed(tx, old.id, row.id)
        },
      },
    )
  }

  #requireRenewable(old: CertificateRow): void {
    const status = statusOf(old, this.#deps.clock.now())
    if (status !== 'active') throw badRequest(`The certificate is ${status}: issue a new one`)
    if (old.renewedByCertificateId !== null) throw badRequest('The certificate has been renewed already')
  }

  async #order(actor: Actor, profile: ProfileInUse, old: CertificateRow, renewal: Renewal): Promise<IssueOrder> {
    const { csr, renewalKeySource } = renewal
    const attributes = { ...renewal.attributes, ...termAsBefore(old, renewal.attributes) }
    if (renewalKeySource === 'csr') return this.#deps.certificateIssuance.prepare(profile, { csr, attributes })

    const body = await findBody(this.#deps.db.pool, old.id)
    if (!body) throw noSuchCertificate()
    const asBefore = { ...profile, defaults: defaultsOf(body.der) }
    if (renewalKeySource === 'new') return this.#deps.certificateIssuance.prepare(asBefore, { attributes })
    const key = await this.#keyOf(actor, old, body.privateKey)
    const sameKey = { ...attributes, keyAlgorithm: undefined }
    const order = await this.#deps.certificateIssuance.prepare(asBefore, { attributes: sameKey })
    return { ...order, key }
  }

  async #keyOf(actor: Actor, old: CertificateRow, sealed: Buffer | null): Promise<KeyWish> {
    if (!sealed)
      throw badRequest('The private key of this certificate is not kept here: have a new one made, or send a csr')
    // The new certificate may have a name under which its key is shown to those from whom the old one keeps it.
    await this.#deps.certificateLookup.require(actor, old, 'read-private-key')
    const place = { purpose: 'certificate-key', projectId: old.projectId, rowId: old.id } as const
    const privateKey = await this.#deps.keyBox.open(this.#deps.db.pool, place, sealed)
    const publicKey = createPublicKey(privateKey)
    const keyAlgorithm = keyAlgorithmOf(publicKey)
    if (!keyAlgorithm) throw badRequest('The key is of a kind that certificates are not issued for')
    return { publicKey, privateKey, keyAlgorithm }
  }
}

/** What was on the old certificate, so that a request may still say otherwise. */
const defaultsOf = (der: Buffer): ProfileDefaults => {
  const { subject, altNames, keyUsages = [], extendedKeyUsages = [], isCa, ...rest } = readCertificate(der)
  const { pathLength, keyAlgorithm, signatureAlgorithm } = rest
  return {
    ...subject,
    subjectAltNames: altNames,
    keyUsages: fromKeyUsages(keyUsages),
    extendedKeyUsages: fromExtendedKeyUsages(extendedKeyUsages),
    basicConstraints: { isCA: isCa, pathLength },
    keyAlgorithm,
    signatureAlgorithm,
  }
}

/** As long as the old one, without the minute by which it was backdated. */
const termAsBefore = ({ notBefore, notAfter, createdAt }: CertificateRow, asked: WishedTerm = {}): WishedTerm => {
  if (asked.ttl !== undefined || asked.notAfter) return {}
  const ageAtBirthMs = createdAt.getTime() - notBefore.getTime()
  const isBackdated = ageAtBirthMs > 0 && ageAtBirthMs < 2 * BACKDATE_MS
  return { ttl: String(notAfter.getTime() - notBefore.getTime() - (isBackdated ? BACKDATE_MS : 0)) }
}

/** A renewed certificate answers to the same name, and to the same wishes. */
const keptOf = ({ id, metadata, renewBeforeDays }: CertificateRow) => ({
  renewedFromCertificateId: id,
  metadata,
  renewBeforeDays,
})
