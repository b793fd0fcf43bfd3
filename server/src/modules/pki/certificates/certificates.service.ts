import { badRequest, notFound } from '../../../lib/app-error.ts'
import type { ChangeFeed } from '../../../platform/changes/feed.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database, Tx } from '../../../platform/db/db.ts'
import type { AuditLog } from '../../audit/audit.service.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { KeyBox } from '../key-box.ts'
import type { ProfileService } from '../profiles/profiles.service.ts'
import { toPem } from '../x509/pem.ts'
import * as bodies from './certificate-bodies.store.ts'
import { type CertificateAddress, type CertificateLookup, noSuchCertificate } from './certificate-lookup.service.ts'
import { shownAt, type ShownCertificate } from './certificate-views.ts'
import * as store from './certificates.store.ts'
import type { CertificateRow, MetadataEntry } from './certificates.store.ts'
import { privateKeyPem } from './issued-certificate.ts'

type Deps = {
  db: Database
  audit: AuditLog
  changes: ChangeFeed
  clock: Clock
  keyBox: KeyBox
  certificateLookup: CertificateLookup
  certificateProfiles: ProfileService
}
type Bundle = { certificate: string; certificateChain: string | null; serialNumber: string; privateKey: string | null }

/** Certificates that are there: what they are, and what is kept with them. */
export class CertificateService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async get(
    actor: Actor,
    address: CertificateAddress,
  ): Promise<{ certificate: ShownCertificate; names: bodies.Names }> {
    const certificate = await this.#deps.certificateLookup.reach(actor, address, 'read')
    const names = await bodies.findNames(this.#deps.db.pool, certificate)
    await this.#note(actor, 'get-cert', certificate)
    return { certificate: this.#shown(certificate), names }
  }

  async getBody(actor: Actor, address: CertificateAddress): Promise<Omit<Bundle, 'privateKey'>> {
    const certificate = await this.#deps.certificateLookup.reach(actor, address, 'read')
    const body = await this.#body(certificate)
    await this.#note(actor, 'get-cert-body', certificate)
    return { ...pemsOf(body), serialNumber: certificate.serialNumber }
  }

  async getBundle(actor: Actor, address: CertificateAddress): Promise<Bundle> {
    const certificate = await this.#deps.certificateLookup.reach(actor, address, 'read', 'read-private-key')
    const body = await this.#body(certificate)
    await this.#note(actor, 'get-cert-bundle', certificate)
    return this.#bundleOf(certificate, body)
  }

  async getPrivateKey(actor: Actor, address: CertificateAddress): Promise<string> {
    const certificate = await this.#deps.certificateLookup.reach(actor, address, 'read-private-key')
    const { privateKey } = await this.#body(certificate)
    if (!privateKey) throw notFound('The private key of this certificate is not kept here')
    await this.#note(actor, 'get-cert-private-key', certificate)
    return this.#open(certificate, privateKey)
  }

  async setMetadata(actor: Actor, address: CertificateAddress, metadata: MetadataEntry[] | undefined) {
    const certificate = await this.#deps.certificateLookup.reach(actor, address, 'edit')
    if (metadata === undefined) return certificate.metadata
    // Rules may speak of metadata, so the right must hold for what it becomes as well.
    await this.#deps.certificateLookup.require(actor, { ...certificate, metadata }, 'edit')
    const askAgain = await this.#deps.certificateLookup.requireUncoversNothing(actor, certificate, { metadata })
    return this.#change(actor, certificate, { type: 'update-cert', metadata: { metadata } }, async (tx) => {
      const locked = await store.lock(tx, certificate.id)
      if (!locked) throw noSuchCertificate()
      askAgain(locked)
      await store.setMetadata(tx, certificate.id, metadata)
      return metadata
    })
  }

  /** What was revoked stays revoked. */
  async delete(actor: Actor, address: CertificateAddress): Promise<ShownCertificate> {
    const certificate = await this.#deps.certificateLookup.reach(actor, address, 'delete')
    return this.#change(actor, certificate, { type: 'delete-cert' }, async (tx) => {
      const deleted = await store.deleteById(tx, certificate.id)
      if (!deleted) throw noSuchCertificate()
      return this.#shown(deleted)
    })
  }

  /** Undefined days: as the profile says. Returns the days, or undefined when it is not to be renewed by itself. */
  async configureRenewal(
    actor: Actor,
    address: CertificateAddress,
    {
      renewBeforeDays,
      enableAutoRenewal = true,
    }: { renewBeforeDays?: number | undefined; enableAutoRenewal?: boolean | undefined },
  ): Promise<number | undefined> {
    const certificate = await this.#deps.certificateLookup.reach(actor, address, 'edit')
    if (!enableAutoRenewal) return this.#setRenewBeforeDays(actor, certificate, undefined)
    if (certificate.profileId === null || certificate.status === 'revoked') {
      throw badRequest('Only a certificate that was issued from a profile and is not revoked can be renewed')
    }
    const days = renewBeforeDays ?? (await this.#profileDays(actor, certificate.profileId))
    return this.#setRenewBeforeDays(actor, certificate, days)
  }

  /** Those that the actor may read, newest first. */
  async listOfProfile(
    actor: Actor,
    profileId: string,
    { offset, limit, ...filter }: Omit<Parameters<typeof bodies.listOfProfile>[1], 'profileId' | 'now'>,
  ) {
    const profile = await this.#deps.certificateProfiles.reach(actor, profileId, 'read')
    const now = this.#deps.clock.now()
    const scope = { ...filter, profileId: profile.id, now: new Date(now) }
    const list = (page: { offset: number; limit: number }) =>
      bodies.listOfProfile(this.#deps.db.pool, { ...scope, ...page })
    const readable = await this.#deps.certificateLookup.readable(actor, profile.projectId, { offset, limit }, list)
    return readable.map((certificate) => shownAt(certificate, now))
  }

  /** The newest that the actor may read and that is neither revoked nor expired; undefined when there is none. */
  async latestOfProfile(actor: Actor, profileId: string): Promise<Bundle | undefined> {
    const [latest] = await this.listOfProfile(actor, profileId, { status: 'active', offset: 0, limit: 1 })
    return latest && this.getBundle(actor, { id: latest.id })
  }

  async #profileDays(actor: Actor, profileId: string): Promise<number> {
    const { apiConfig } = await this.#deps.certificateProfiles.reach(actor, profileId, 'read')
    if (apiConfig?.renewBeforeDays !== undefined) return apiConfig.renewBeforeDays
    throw badRequest(
      'The profile does not say how many days before its end a certificate is renewed: give renewBeforeDays',
    )
  }

  #setRenewBeforeDays(
    actor: Actor,
    certificate: CertificateRow,
    days: number | undefined,
  ): Promise<number | undefined> {
    const event = { type: 'update-certificate-renewal-config', metadata: { renewBeforeDays: days ?? null } }
    return this.#change(actor, certificate, event, async (tx) => {
      await store.setRenewBeforeDays(tx, certificate.id, days ?? null)
      return days
    })
  }

  async #body({ id }: CertificateRow): Promise<bodies.CertificateBody> {
    const body = await bodies.findBody(this.#deps.db.pool, id)
    if (!body) throw noSuchCertificate()
    return body
  }

  async #bundleOf(certificate: CertificateRow, body: bodies.CertificateBody): Promise<Bundle> {
    const privateKey = body.privateKey && (await this.#open(certificate, body.privateKey))
    return { ...pemsOf(body), privateKey, serialNumber: certificate.serialNumber }
  }

  async #open({ id, projectId }: CertificateRow, sealed: Buffer): Promise<string> {
    const place = { purpose: 'certificate-key', projectId, rowId: id } as const
    return privateKeyPem(await this.#deps.keyBox.open(this.#deps.db.pool, place, sealed))
  }

  async #change<T>(
    actor: Actor,
    certificate: CertificateRow,
    { type, metadata }: { type: string; metadata?: object },
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    const { id, projectId } = certificate
    return this.#deps.db.transaction(async (tx) => {
      const result = await work(tx)
      await this.#deps.audit.record(tx, actor, {
        type,
        projectId,
        metadata: { ...described(certificate), ...metadata },
      })
      await this.#deps.changes.append(tx, { scope: `certificate:${id}`, kind: 'certificate-changed' })
      return result
    })
  }

  #note(actor: Actor, type: string, certificate: CertificateRow): Promise<void> {
    return this.#deps.audit.note(actor, { type, projectId: certificate.projectId, metadata: described(certificate) })
  }

  #shown(certificate: CertificateRow): ShownCertificate {
    return shownAt(certificate, this.#deps.clock.now())
  }
}

const described = ({ id, commonName, serialNumber }: CertificateRow) => ({ certId: id, cn: commonName, serialNumber })

const pemsOf = ({ der, chain, issuerDer, issuerChain }: bodies.CertificateBody) => ({
  certificate: toPem('CERTIFICATE', der),
  certificateChain: chain ?? (issuerDer && toPem('CERTIFICATE', issuerDer) + (issuerChain ?? '')),
})
