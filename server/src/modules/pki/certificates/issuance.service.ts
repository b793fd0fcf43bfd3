import { badRequest } from '../../../lib/app-error.ts'
import { newId } from '../../../lib/uuid.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Tx } from '../../../platform/db/db.ts'
import type { AuditLog } from '../../audit/audit.service.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { Signer } from '../authorities/authority-keys.ts'
import { violationsOf } from '../policies/policy-check.ts'
import type { ProfileInUse, ProfileService } from '../profiles/profiles.service.ts'
import { defaultSignatureAlgorithm } from '../x509/key-algorithms.ts'
import { readSigningRequest } from '../x509/signing-request.ts'
import { type CertificateIssuer, chainOf, type IssuedCertificate, type IssueOrder } from './certificate-issuer.ts'
import type { CertificateLookup } from './certificate-lookup.service.ts'
import * as requests from './certificate-requests.store.ts'
import { spanOf, usualSpanMs, type WishedAttributes, wishFrom, wishOfRequest } from './certificate-wish.ts'
import type { CertificateRow, MetadataEntry } from './certificates.store.ts'
import { privateKeyPem } from './issued-certificate.ts'

type Deps = {
  audit: AuditLog
  clock: Clock
  certificateIssuer: CertificateIssuer
  certificateLookup: CertificateLookup
  certificateProfiles: ProfileService
}

export type Order = {
  profileId: string
  applicationId?: string | undefined
  csr?: string | undefined
  attributes?: WishedAttributes | undefined
  removeRootsFromChain: boolean
  metadata?: MetadataEntry[] | undefined
}

/** A certificate as it is handed out; its key only to those who may read it. */
export type HandedOut = {
  certificate: string
  issuingCaCertificate: string
  certificateChain: string
  privateKey?: string
  serialNumber: string
  certificateId: string
  certificateRequestId: string
}

/** Issues certificates from profiles. */
export class IssuanceService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** `isOrder`: told as an order, whatever it asks for. */
  async issue(actor: Actor, order: Order, { isOrder = false } = {}): Promise<HandedOut> {
    const profile = await this.#deps.certificateProfiles.reach(actor, order.profileId, 'issue-cert')
    if (order.applicationId !== undefined) throw badRequest('Applications are not built: issue from the profile itself')
    const verb = isOrder ? 'order' : order.csr === undefined ? 'issue' : 'sign'
    const prepared = await this.prepare(profile, order)
    const kept = { ...prepared.kept, ...(order.metadata && { metadata: order.metadata }) }
    return this.carryOut(
      actor,
      { ...prepared, kept },
      { profile, removeRoots: order.removeRootsFromChain, type: `${verb}-certificate-from-profile` },
    )
  }

  /** What is to be issued, once it is certain that the policy of the profile admits it. */
  async prepare(
    profile: ProfileInUse,
    { csr, attributes = {} }: Pick<Order, 'csr' | 'attributes'>,
  ): Promise<IssueOrder> {
    requireUsable(profile)
    const defaults = profile.defaults ?? {}
    const signer = profile.caId === null ? undefined : await this.#deps.certificateIssuer.signer(profile.caId)
    const request = csr === undefined ? undefined : readSigningRequest(csr)
    const wish = request ? wishOfRequest(request, attributes, defaults) : wishFrom(attributes, defaults)
    const span = spanOf(attributes, this.#deps.clock.now(), usualSpanMs(defaults))
    this.requireAdmitted(profile, signer, { wish, spanMs: span.spanMs, isRequest: request !== undefined })
    const { publicKey, keyAlgorithm } = request ?? {}
    return {
      projectId: profile.projectId,
      signer,
      wish,
      span,
      key: publicKey && keyAlgorithm ? { publicKey, keyAlgorithm } : 'new',
      kept: { profileId: profile.id, renewBeforeDays: renewalDays(profile) },
    }
  }

  requireAdmitted(
    { rules }: ProfileInUse,
    signer: Signer | undefined,
    { wish, spanMs, isRequest }: { wish: IssueOrder['wish']; spanMs: number; isRequest: boolean },
  ): void {
    // Whoever sends a signing request has no say in how it is signed, so there is nothing to be missed in it.
    const usual = isRequest && signer ? defaultSignatureAlgorithm(signer.issuer.keyAlgorithm) : undefined
    const signatureAlgorithm = wish.signatureAlgorithm ?? usual
    const violations = violationsOf(rules, { ...wish, signatureAlgorithm, validityMs: spanMs })
    if (violations.length > 0) throw badRequest(violations.join(', '))
  }

  async carryOut(
    actor: Actor,
    order: IssueOrder,
    { profile, removeRoots, type, record }: CarryOut,
  ): Promise<HandedOut> {
    const certificateRequestId = newId()
    const issued = await this.#deps.certificateIssuer.issue(actor, order, async (tx, row) => {
      const { id: certificateId, projectId, commonName } = row
      const profileId = profile.id
      await requests.insert(tx, { id: certificateRequestId, projectId, profileId, certificateId, status: 'issued' })
      await record?.(tx, row)
      const metadata = { certificateProfileId: profileId, certificateId, profileName: profile.slug, commonName }
      await this.#deps.audit.record(tx, actor, { type, projectId, metadata })
    })
    return { ...(await this.handOut(actor, issued, removeRoots)), certificateRequestId }
  }

  async handOut(actor: Actor, issued: IssuedCertificate, removeRoots: boolean) {
    const { row, certificate, issuingCaCertificate, privateKey } = issued
    const mayHaveKey = privateKey && (await this.#deps.certificateLookup.may(actor, row, 'read-private-key'))
    return {
      certificate,
      issuingCaCertificate,
      certificateChain: chainOf(issued, removeRoots),
      ...(mayHaveKey && { privateKey: privateKeyPem(privateKey) }),
      serialNumber: row.serialNumber,
      certificateId: row.id,
    }
  }
}

type CarryOut = {
  profile: ProfileInUse
  removeRoots: boolean
  type: string
  /** What else is written with it. */
  record?: (tx: Tx, row: CertificateRow) => Promise<void>
}

const requireUsable = ({ apiConfig, slug }: ProfileInUse): void => {
  if (!apiConfig) throw badRequest(`The profile '${slug}' has no apiConfig, so nothing is issued from it directly`)
}

const renewalDays = ({ apiConfig }: ProfileInUse): number | null =>
  apiConfig?.autoRenew ? (apiConfig.renewBeforeDays ?? null) : null
