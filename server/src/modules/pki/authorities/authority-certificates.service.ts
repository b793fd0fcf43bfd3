import { badRequest, forbidden, notFound } from '../../../lib/app-error.ts'
import { isUuid } from '../../../lib/uuid.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database, Tx } from '../../../platform/db/db.ts'
import type { AuditActor, AuditLog } from '../../audit/audit.service.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { Revocations } from '../revocation/revocations.service.ts'
import { importPublicKey } from '../x509/key-algorithms.ts'
import { toPem } from '../x509/pem.ts'
import { createSigningRequest, readSigningRequest } from '../x509/signing-request.ts'
import * as authorities from './authorities.store.ts'
import type { AuthorityRow } from './authorities.store.ts'
import * as store from './authority-certificates.store.ts'
import type { AuthorityCertificate } from './authority-certificates.store.ts'
import type { AuthorityInstaller } from './authority-installer.ts'
import type { AuthorityKeys, Signer } from './authority-keys.ts'
import { type AuthorityLookup, noSuchAuthority } from './authority-lookup.service.ts'
import {
  beginning,
  isInChain,
  requireMaySign,
  requireNamed,
  requireSpan,
  subjectOf,
  type Term,
} from './authority-rules.ts'
import { requireImportable } from './imported-certificate.ts'

export type { AuthorityCertificate } from './authority-certificates.store.ts'

type Deps = {
  db: Database
  audit: AuditLog
  clock: Clock
  revocations: Revocations
  authorityKeys: AuthorityKeys
  authorityLookup: AuthorityLookup
  authorityInstaller: AuthorityInstaller
}

/** How an authority comes by its certificates, and signs those of others. */
export class AuthorityCertificateService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** For an authority elsewhere to sign. */
  async signingRequest(actor: Actor, caId: string): Promise<string> {
    const ca = await this.#deps.authorityLookup.get(actor, caId, 'create')
    if (ca.type === 'root') throw badRequest('A root signs its own certificate: there is no signing request for it')
    const key = await this.#deps.authorityKeys.privateKey(this.#deps.db.pool, ca)
    if (!key) throw noSuchAuthority(caId)
    const { projectId, dn } = ca
    await this.#deps.audit.note(actor, {
      type: 'get-certificate-authority-csr',
      projectId,
      metadata: { caId, dn },
    })
    return toPem('CERTIFICATE REQUEST', createSigningRequest(subjectOf(ca), key, importPublicKey(ca.publicKey)))
  }

  /** Of a root by itself, of an intermediate by its parent. */
  async generate(actor: Actor, caId: string, { parentCaId, ...term }: Term & { parentCaId?: string | undefined }) {
    const ca = await this.#deps.authorityLookup.get(actor, caId, 'issue-ca-certificate')
    if ((ca.type === 'root') !== (parentCaId === undefined)) {
      throw badRequest(ca.type === 'root' ? 'A root has no parent' : 'An intermediate needs a parentCaId')
    }
    const parent = parentCaId === undefined ? undefined : await this.#parent(actor, ca, parentCaId)
    return this.#renewOrGenerate(actor, ca, { term, parent, type: 'generate-ca-certificate' })
  }

  /** The same key for longer: nothing but the dates changes. */
  async renew(actor: Actor, caId: string, notAfter: Date): Promise<AuthorityCertificate> {
    const ca = await this.#deps.authorityLookup.get(actor, caId, 'issue-ca-certificate')
    const current = await store.findActive(this.#deps.db.pool, caId)
    if (current?.parentCaId) {
      const parent = await this.#deps.authorityLookup.findUnasked(actor, current.parentCaId)
      if (parent) await this.#deps.authorityLookup.require(actor, parent, 'sign-intermediate')
    }
    return this.renewAs(actor, ca, notAfter)
  }

  /** Without asking whether the actor may. */
  async renewAs(actor: AuditActor, ca: AuthorityRow, notAfter: Date): Promise<AuthorityCertificate> {
    const current = await store.findActive(this.#deps.db.pool, ca.id)
    if (!current) throw withoutCertificate(ca.name)
    if (notAfter <= current.notAfter) throw badRequest('notAfter must be later than that of the present certificate')
    const parent = current.parentCaId === null ? undefined : await this.#deps.authorityKeys.signer(current.parentCaId)
    if (ca.type === 'intermediate' && !parent) {
      throw badRequest('The certificate was signed elsewhere: have it renewed there and import it')
    }
    const notBefore = beginning(new Date(this.#deps.clock.now()), parent?.validity.notBefore ?? current.notBefore)
    const term = { notBefore, notAfter, pathLength: current.maxPathLength }
    return this.#renewOrGenerate(actor, ca, { term, parent, type: 'renew-certificate-authority' })
  }

  /** For an authority that lives elsewhere. */
  async signIntermediate(actor: Actor, caId: string, { csr, ...wish }: Omit<Term, 'notBefore'> & SigningWish) {
    const { projectId, name } = await this.#deps.authorityLookup.get(actor, caId, 'sign-intermediate')
    const signer = await this.#deps.authorityKeys.signer(caId)
    if (!signer) throw withoutCertificate(name)
    const now = new Date(this.#deps.clock.now())
    const term = { ...wish, notBefore: wish.notBefore ?? beginning(now, signer.validity.notBefore) }
    requireMaySign(signer, term, now)
    const { subject, publicKey } = readSigningRequest(csr)
    requireNamed(subject)
    const signed = await this.#deps.db.transaction(async (tx) => {
      await this.#deps.authorityKeys.holdToIssue(tx, signer)
      const made = await this.#deps.authorityInstaller.sign(tx, signer, { subject, publicKey, friendlyName: '' }, term)
      const metadata = { caId, dn: signer.ca.dn, serialNumber: made.serialNumber }
      await this.#deps.audit.record(tx, actor, { type: 'sign-intermediate', projectId, metadata })
      return made
    })
    return { ...signed, chain: signer.chainPem, issuer: signer.issuer.certificate }
  }

  /** What an authority elsewhere has signed. */
  async import(actor: Actor, caId: string, pems: { certificate: string; certificateChain: string }): Promise<void> {
    const { projectId } = await this.#deps.authorityLookup.get(actor, caId, 'issue-ca-certificate')
    await this.#deps.db.transaction(async (tx) => {
      const ca = await this.#lock(tx, caId)
      const imported = requireImportable(ca, pems, new Date(this.#deps.clock.now()))
      const { serialNumber } = await this.#deps.authorityInstaller.install(tx, caId, { ...imported, parentCaId: null })
      const metadata = { caId, dn: ca.dn, serialNumber }
      await this.#deps.audit.record(tx, actor, { type: 'import-certificate-authority-cert', projectId, metadata })
    })
    await this.#deps.revocations.published(caId)
  }

  /** Everybody may see these. */
  async current(caId: string): Promise<AuthorityCertificate> {
    const ca = await this.#deps.authorityLookup.find(caId)
    if (!ca) throw noSuchAuthority(caId)
    const certificate = await store.findActive(this.#deps.db.pool, caId)
    if (!certificate) throw withoutCertificate(ca.name)
    return certificate
  }

  async byId(caId: string, id: string): Promise<AuthorityCertificate> {
    const certificate = isUuid(caId) && isUuid(id) ? await store.findById(this.#deps.db.pool, caId, id) : undefined
    if (!certificate) throw notFound(`The certificate authority with ID '${caId}' has no certificate '${id}'`)
    return certificate
  }

  async list(caId: string): Promise<AuthorityCertificate[]> {
    if (!(await this.#deps.authorityLookup.find(caId))) throw noSuchAuthority(caId)
    return store.list(this.#deps.db.pool, caId)
  }

  /** The same for those whose older clients ask with a token. */
  async currentFor(actor: Actor, caId: string): Promise<AuthorityCertificate> {
    await this.#deps.authorityLookup.get(actor, caId, 'read')
    return this.current(caId)
  }

  async listFor(actor: Actor, caId: string): Promise<AuthorityCertificate[]> {
    await this.#deps.authorityLookup.get(actor, caId, 'read')
    return this.list(caId)
  }

  /** What it has taken back, as PEM. */
  async revocationLists(actor: Actor, caId: string): Promise<{ id: string; crl: string }[]> {
    const { projectId, name } = await this.#deps.authorityLookup.get(actor, caId, 'read')
    const lists = await this.#deps.revocations.lists(caId)
    const metadata = { caId, name }
    await this.#deps.audit.note(actor, { type: 'get-certificate-authority-crls', projectId, metadata })
    return lists.map(({ id, der }) => ({ id, crl: toPem('X509 CRL', der).trimEnd() }))
  }

  async #parent(actor: Actor, { projectId, publicKey }: AuthorityRow, parentCaId: string): Promise<Signer> {
    const parent = await this.#deps.authorityLookup.findUnasked(actor, parentCaId)
    if (!parent) throw noSuchAuthority(parentCaId)
    if (parent.projectId !== projectId) throw forbidden('The parent is in another project')
    await this.#deps.authorityLookup.require(actor, parent, 'sign-intermediate')
    const signer = await this.#deps.authorityKeys.signer(parentCaId)
    if (!signer) throw withoutCertificate(parent.name)
    if (isInChain(signer.chainPem, publicKey)) throw badRequest('An authority cannot stand below itself')
    return signer
  }

  async #renewOrGenerate(
    actor: AuditActor,
    ca: AuthorityRow,
    { term, parent, type }: { term: Term; parent: Signer | undefined; type: string },
  ): Promise<AuthorityCertificate> {
    const now = new Date(this.#deps.clock.now())
    if (parent) requireMaySign(parent, term, now)
    else requireSpan(term, now)
    const certificate = await this.#deps.db.transaction(async (tx) => {
      const locked = await this.#lock(tx, ca.id)
      const made = await this.#make(tx, locked, parent, term)
      const { organizationId, projectId, dn } = locked
      const { serialNumber, parentCaId } = made
      const metadata = { caId: ca.id, dn, serialNumber, ...(parentCaId !== null && { parentCaId }) }
      await this.#deps.audit.record(tx, actor, { type, organizationId, projectId, metadata })
      return made
    })
    await this.#deps.revocations.published(ca.id)
    return certificate
  }

  async #make(tx: Tx, ca: AuthorityRow, parent: Signer | undefined, term: Term): Promise<AuthorityCertificate> {
    if (parent) {
      await this.#deps.authorityKeys.holdToIssue(tx, parent)
      return this.#deps.authorityInstaller.underParent(tx, ca, parent, term)
    }
    const key = await this.#deps.authorityKeys.privateKey(tx, ca)
    if (!key) throw noSuchAuthority(ca.id)
    return this.#deps.authorityInstaller.selfSigned(tx, ca, key, term)
  }

  /** A new certificate would bring a disabled one back. */
  async #lock(tx: Tx, caId: string): Promise<AuthorityRow> {
    const ca = await authorities.lock(tx, caId)
    if (!ca) throw noSuchAuthority(caId)
    if (ca.status === 'disabled')
      throw badRequest(`The certificate authority '${ca.name}' is disabled: enable it first`)
    return ca
  }
}

type SigningWish = { csr: string; notBefore?: Date | undefined }

const withoutCertificate = (name: string) => badRequest(`The certificate authority '${name}' has no certificate yet`)
