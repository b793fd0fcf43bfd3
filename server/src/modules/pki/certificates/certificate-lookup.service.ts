import { badRequest, notFound } from '../../../lib/app-error.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/db.ts'
import type { ProjectAbility } from '../../permissions/ability.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { PermissionService } from '../../permissions/permissions.service.ts'
import { readablePage } from '../readable-pages.ts'
import { readCertificateId, readSerialNumber } from './certificate-id.ts'
import { fieldsOf } from './certificate-status.ts'
import * as store from './certificates.store.ts'
import type { CertificateRow } from './certificates.store.ts'

type Page = { offset: number; limit: number }
type Deps = { db: Database; permissions: PermissionService; clock: Clock }

/** How a request names a certificate: by id, thumbprint or serial number, or by its serial number alone. */
export type CertificateAddress = { id: string } | { serialNumber: string }
export type CertificateAction = 'read' | 'create' | 'edit' | 'delete' | 'read-private-key' | 'import'

/** Finds certificates for those who may do something with them. */
export class CertificateLookup {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** In the organization of the actor, who must be allowed all the actions on it. */
  async reach(actor: Actor, address: CertificateAddress, ...actions: CertificateAction[]): Promise<CertificateRow> {
    const certificate = await this.find(actor, address)
    for (const action of actions) await this.require(actor, certificate, action)
    return certificate
  }

  async require(actor: Actor, certificate: CertificateRow, action: CertificateAction): Promise<void> {
    const ability = await this.#deps.permissions.inProject(actor, certificate.projectId)
    await ability.require(action, 'certificates', fieldsOf(certificate, this.#deps.clock.now()))
  }

  async may(actor: Actor, certificate: CertificateRow, action: CertificateAction): Promise<boolean> {
    const ability = await this.#deps.permissions.inProject(actor, certificate.projectId)
    return ability.can(action, 'certificates', fieldsOf(certificate, this.#deps.clock.now()))
  }

  /**
   * Nobody changes a certificate into one that they may read, or read the key of, when that is kept from them now.
   * Returns the same question, which is to be asked again of the row once it is locked.
   */
  async requireUncoversNothing(
    actor: Actor,
    certificate: CertificateRow,
    change: Partial<CertificateRow>,
  ): Promise<(locked: CertificateRow) => void> {
    const ability = await this.#deps.permissions.inProject(actor, certificate.projectId)
    const now = this.#deps.clock.now()
    const ask = (present: ProjectAbility, row: CertificateRow) => {
      const [before, after] = [fieldsOf(row, now), fieldsOf({ ...row, ...change }, now)]
      for (const action of ['read', 'read-private-key'] as const) {
        if (present.can(action, 'certificates', after)) present.require(action, 'certificates', before)
      }
    }
    await ability.satisfy((present) => ask(present, certificate))
    return (locked) => ask(ability.present, locked)
  }

  /** Of a project's certificates, a page of those that the actor may read. */
  async readable(actor: Actor, projectId: string, page: Page, list: (page: Page) => Promise<CertificateRow[]>) {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    if (!(await ability.can('read', 'certificates'))) return []
    const now = this.#deps.clock.now()
    const mayRead = ability.present.within('read', 'certificates', {})
    const isReadable = (row: CertificateRow) => mayRead(fieldsOf(row, now))
    const count = () => Promise.resolve(0)
    return (await readablePage(ability.present, 'certificates', page, { list, count, isReadable })).rows
  }

  /** Without asking what the actor may do with it. */
  async find(actor: Actor, address: CertificateAddress): Promise<CertificateRow> {
    const matches = await this.#matches(actor.organizationId ?? '', address)
    // Whoever imports a copy elsewhere must not stand in the way of revoking what was issued here.
    const issued = matches.filter(({ caId }) => caId !== null)
    const [certificate, another] = issued.length > 0 ? issued : matches
    if (!certificate) throw noSuchCertificate()
    if (another) throw badRequest('Several certificates have this serial number: name the one you mean by its id')
    return certificate
  }

  async #matches(organizationId: string, address: CertificateAddress): Promise<CertificateRow[]> {
    const db = this.#deps.db.pool
    const named = 'id' in address ? readCertificateId(address.id) : bySerialNumber(address.serialNumber)
    const { id, thumbprint, serialNumber } = named
    if (id !== undefined) {
      const certificate = await store.findById(db, organizationId, id)
      return certificate ? [certificate] : []
    }
    const found = thumbprint === undefined ? [] : await store.listByThumbprint(db, organizationId, thumbprint)
    if (found.length > 0 || serialNumber === undefined) return found
    return store.listBySerialNumber(db, organizationId, serialNumber)
  }
}

const bySerialNumber = (text: string): ReturnType<typeof readCertificateId> => {
  const serialNumber = readSerialNumber(text)
  return serialNumber === undefined ? {} : { serialNumber }
}

export const noSuchCertificate = () => notFound('Certificate not found')
