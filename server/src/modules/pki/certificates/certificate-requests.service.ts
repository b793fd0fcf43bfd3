import { notFound } from '../../../lib/app-error.ts'
import { isUuid } from '../../../lib/uuid.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/db.ts'
import type { ProjectAbility } from '../../permissions/ability.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { PermissionService } from '../../permissions/permissions.service.ts'
import type { KeyBox } from '../key-box.ts'
import type { CertManagerProjects } from '../projects/cert-manager-projects.service.ts'
import { readablePage } from '../readable-pages.ts'
import { toPem } from '../x509/pem.ts'
import { findBody } from './certificate-bodies.store.ts'
import type { CertificateLookup } from './certificate-lookup.service.ts'
import * as store from './certificate-requests.store.ts'
import { fieldsOf } from './certificate-status.ts'
import type { CertificateRow } from './certificates.store.ts'
import { privateKeyPem } from './issued-certificate.ts'

type Deps = {
  db: Database
  clock: Clock
  permissions: PermissionService
  keyBox: KeyBox
  certificateLookup: CertificateLookup
  certManagerProjects: CertManagerProjects
}
type Search = store.RequestPage & store.RequestFilter & { projectId?: string | undefined }

/** What became of requests for certificates. */
export class CertificateRequestService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async get(actor: Actor, givenId: string) {
    const id = givenId.toLowerCase()
    const request = isUuid(id) ? await store.findById(this.#deps.db.pool, actor.organizationId ?? '', id) : undefined
    if (!request) throw notFound(`Certificate request with id '${givenId}' not found`)
    if (request.certificateId === null) {
      const ability = await this.#deps.permissions.inProject(actor, request.projectId)
      await ability.require('read', 'certificates')
      return { request, issued: undefined }
    }
    const row = await this.#deps.certificateLookup.reach(actor, { id: request.certificateId }, 'read')
    return { request, issued: await this.#issued(actor, row) }
  }

  async search(actor: Actor, { projectId: project, offset, limit, direction, ...filter }: Search) {
    const projectId = await this.#deps.certManagerProjects.resolve(actor, project)
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('read', 'certificates')
    const db = this.#deps.db.pool
    const page = { offset, limit }
    const { rows: requests, totalCount } = await readablePage(ability.present, 'certificates', page, {
      list: (part) => store.list(db, projectId, filter, { ...part, direction }),
      count: () => store.count(db, projectId, filter),
      isReadable: isReadableBy(ability.present, this.#deps.clock.now()),
    })
    return { requests, totalCount }
  }

  async #issued(actor: Actor, row: CertificateRow) {
    const body = await findBody(this.#deps.db.pool, row.id)
    const sealed = body?.privateKey
    const mayHaveKey = sealed && (await this.#deps.certificateLookup.may(actor, row, 'read-private-key'))
    const place = { purpose: 'certificate-key', projectId: row.projectId, rowId: row.id } as const
    return {
      row,
      certificate: body ? toPem('CERTIFICATE', body.der) : null,
      privateKey: mayHaveKey ? privateKeyPem(await this.#deps.keyBox.open(this.#deps.db.pool, place, sealed)) : null,
    }
  }
}

/** A request tells what its certificate says, so whoever may not read the one sees nothing of the other. */
const isReadableBy = (ability: ProjectAbility, now: number) => {
  const mayRead = ability.within('read', 'certificates', {})
  return ({ commonName, altNames, serialNumber, friendlyName, ...rest }: store.FoundRequest): boolean => {
    const { certificateStatus: status, notAfter, metadata } = rest
    if (!status || !notAfter) return true
    const names = { commonName: commonName ?? '', altNames: altNames ?? [], friendlyName: friendlyName ?? '' }
    const certificate = { ...names, serialNumber: serialNumber ?? '', status, notAfter, metadata: metadata ?? [] }
    return mayRead(fieldsOf(certificate, now))
  }
}
