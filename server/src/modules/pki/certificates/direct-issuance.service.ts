import { badRequest, notFound } from '../../../lib/app-error.ts'
import { parseDurationMs } from '../../../lib/duration.ts'
import { isUuid } from '../../../lib/uuid.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/db.ts'
import type { AuditLog } from '../../audit/audit.service.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { PermissionService } from '../../permissions/permissions.service.ts'
import * as authorities from '../authorities/authorities.store.ts'
import type { AuthorityRow } from '../authorities/authorities.store.ts'
import { matchesNamePattern } from '../templates/name-pattern.ts'
import { inOneSpelling } from '../x509/alt-names.ts'
import { inferAltName } from '../x509/names.ts'
import { readSigningRequest, type SigningRequest } from '../x509/signing-request.ts'
import type { ExtendedKeyUsage, KeyUsage } from '../x509/usages.ts'
import type { CertificateIssuer, IssueOrder } from './certificate-issuer.ts'
import { spanOf } from './certificate-wish.ts'
import * as templates from './issuing-templates.store.ts'
import type { IssuingTemplate } from './issuing-templates.store.ts'
import type { IssuanceService } from './issuance.service.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  audit: AuditLog
  clock: Clock
  certificateIssuer: CertificateIssuer
  certificateIssuance: IssuanceService
}

export type DirectOrder = {
  caId?: string | undefined
  certificateTemplateId?: string | undefined
  csr?: string | undefined
  friendlyName?: string | undefined
  commonName?: string | undefined
  /** Separated by commas. */
  altNames?: string | undefined
  ttl: string
  notBefore?: Date | undefined
  keyUsages?: KeyUsage[] | undefined
  extendedKeyUsages?: ExtendedKeyUsage[] | undefined
}

const USUAL_KEY_USAGES: KeyUsage[] = ['digitalSignature', 'keyEncipherment']
const ALT_NAMES_MAX = 100

/** Issues certificates straight from an authority, or from one of its templates. */
export class DirectIssuanceService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async issue(actor: Actor, order: DirectOrder) {
    const { ca, template } = await this.#source(actor, order)
    const request = order.csr === undefined ? undefined : readSigningRequest(order.csr)
    const wish = wishOf(order, request, template)
    const span = spanOf(order, this.#deps.clock.now(), undefined)
    if (template) requireTemplate(template, wish, span.spanMs)
    await this.#requireMay(actor, ca, { wish, friendlyName: order.friendlyName })

    const signer = await this.#deps.certificateIssuer.signer(ca.id)
    const { projectId, id: caId, dn } = ca
    const { publicKey, keyAlgorithm } = request ?? {}
    const issued = await this.#deps.certificateIssuer.issue(
      actor,
      {
        projectId,
        signer,
        wish: { ...wish, keyAlgorithm: keyAlgorithm ?? signer.issuer.keyAlgorithm },
        span,
        key: publicKey && keyAlgorithm ? { publicKey, keyAlgorithm } : 'new',
        friendlyName: order.friendlyName,
        kept: { certificateTemplateId: template?.id ?? null },
      },
      async (tx, { serialNumber }) => {
        const type = request ? 'sign-cert' : 'issue-cert'
        await this.#deps.audit.record(tx, actor, { type, projectId, metadata: { caId, dn, serialNumber } })
      },
    )
    return this.#deps.certificateIssuance.handOut(actor, issued, false)
  }

  async #source(
    actor: Actor,
    order: DirectOrder,
  ): Promise<{ ca: AuthorityRow; template: IssuingTemplate | undefined }> {
    const { caId, certificateTemplateId: templateId } = order
    if ((caId === undefined) === (templateId === undefined)) {
      throw badRequest('Say either caId or certificateTemplateId')
    }
    const template = templateId === undefined ? undefined : await this.#template(templateId)
    const id = (template?.caId ?? caId ?? '').toLowerCase()
    const ca = isUuid(id) ? await authorities.findById(this.#deps.db.pool, id) : undefined
    // Another organization's looks like one that does not exist.
    if (ca?.organizationId !== actor.organizationId || !ca) {
      throw notFound(
        template || caId === undefined ? noTemplate(templateId) : `Certificate authority with id '${caId}' not found`,
      )
    }
    const ability = await this.#deps.permissions.inProject(actor, ca.projectId)
    await ability.require('create', 'certificates')
    if (!template && ca.requireTemplateForIssuance) {
      throw badRequest('This certificate authority issues only through a certificate template')
    }
    return { ca, template }
  }

  async #template(id: string): Promise<IssuingTemplate> {
    const template = isUuid(id) ? await templates.findById(this.#deps.db.pool, id) : undefined
    if (!template) throw notFound(noTemplate(id))
    return template
  }

  /** Rules may say which names somebody gets certificates for. */
  async #requireMay(actor: Actor, ca: AuthorityRow, asked: Asked): Promise<void> {
    const { wish, friendlyName } = asked
    const ability = await this.#deps.permissions.inProject(actor, ca.projectId)
    const commonName = wish.subject.commonName ?? ''
    const altNames = wish.altNames.map(({ value }) => value)
    const fields = { commonName, altNames, friendlyName: friendlyName ?? commonName, status: 'active', metadata: [] }
    await ability.require('create', 'certificates', fields)
  }
}

type Wish = IssueOrder['wish']
type Asked = { wish: Wish; friendlyName: string | undefined }

/** What the request says itself comes before what its signing request says. */
const wishOf = (
  order: DirectOrder,
  request: SigningRequest | undefined,
  template: IssuingTemplate | undefined,
): Wish => {
  const altNames = (order.altNames ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (altNames.length > ALT_NAMES_MAX)
    throw badRequest(`At most ${ALT_NAMES_MAX} subject alternative names are allowed`)
  const { commonName } = order
  const asked = request && request.keyUsages.length > 0 ? request.keyUsages : undefined
  const askedExtended = request && request.extendedKeyUsages.length > 0 ? request.extendedKeyUsages : undefined
  return {
    subject: { ...request?.subject, ...(commonName && { commonName }) },
    altNames: altNames.length > 0 ? altNames.map(inferAltName).map(inOneSpelling) : (request?.altNames ?? []),
    keyUsages: order.keyUsages ?? asked ?? template?.keyUsages ?? USUAL_KEY_USAGES,
    extendedKeyUsages: order.extendedKeyUsages ?? askedExtended ?? template?.extendedKeyUsages ?? [],
    isCa: false,
  }
}

const requireTemplate = (
  template: IssuingTemplate,
  { subject, altNames, keyUsages, extendedKeyUsages }: Wish,
  spanMs: number,
) => {
  const { commonName = '' } = subject
  if (!matchesNamePattern(template.commonName, commonName)) throw misfit(`the common name '${commonName}'`)
  const odd = altNames.find(({ value }) => !matchesNamePattern(template.subjectAlternativeName, value))
  if (odd) throw misfit(`the subject alternative name '${odd.value}'`)
  if (spanMs > (parseDurationMs(template.ttl) ?? 0)) throw misfit(`a time longer than ${template.ttl}`)
  const usages: readonly string[] = [...template.keyUsages, ...template.extendedKeyUsages]
  const unlisted = [...keyUsages, ...extendedKeyUsages].find((usage) => !usages.includes(usage))
  if (unlisted) throw misfit(`the usage '${unlisted}'`)
}

const misfit = (what: string) => badRequest(`The certificate template does not allow ${what}`)
const noTemplate = (id = '') => `Certificate template with id '${id}' not found`
