import type { KeyObject } from 'node:crypto'
import { badRequest, notFound } from '../../../lib/app-error.ts'
import { slugFor } from '../../../lib/slug.ts'
import { newId } from '../../../lib/uuid.ts'
import type { ChangeFeed } from '../../../platform/changes/feed.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database, Tx } from '../../../platform/db/db.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../../platform/db/failures.ts'
import type { AuditLog } from '../../audit/audit.service.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { KeyBox } from '../key-box.ts'
import type { Revocations } from '../revocation/revocations.service.ts'
import { exportPublicKey, generateKeyPair } from '../x509/key-algorithms.ts'
import { describeName, encodeName } from '../x509/names.ts'
import type { AuthorityInstaller } from './authority-installer.ts'
import { scopeOf } from './authority-keys.ts'
import { type AuthorityLookup, noSuchAuthority } from './authority-lookup.service.ts'
import { beginning, requireBuiltAlgorithm, requireSpan, subjectOf } from './authority-rules.ts'
import * as store from './authorities.store.ts'
import type { AuthorityRow } from './authorities.store.ts'

export type { AuthorityRow } from './authorities.store.ts'

type Deps = {
  db: Database
  audit: AuditLog
  changes: ChangeFeed
  clock: Clock
  keyBox: KeyBox
  revocations: Revocations
  authorityLookup: AuthorityLookup
  authorityInstaller: AuthorityInstaller
}

type Named = Parameters<typeof subjectOf>[0]
export type NewAuthority = Named & {
  /** Made up when absent. */
  name: string | undefined
  type: store.AuthorityType
  keyAlgorithm: string
  keySource: string
  friendlyName: string
  notBefore: Date | null
  notAfter: Date | null
  maxPathLength: number | null
  crlDistributionPointUrls: string[]
  disableManagedCrlDistributionPointUrl: boolean
  requireTemplateForIssuance: boolean
}
type Search = store.Filter & { offset: number; limit: number }
export type AuthorityChanges = {
  requireTemplateForIssuance?: boolean | undefined
  name?: string | undefined
  status?: store.AuthorityStatus | undefined
  crlDistributionPointUrls?: string[] | undefined
  disableManagedCrlDistributionPointUrl?: boolean | undefined
}

const NAME_LENGTH_MAX = 64
const DN_LENGTH_MAX = 255

/** Authorities: who signs certificates. */
export class AuthorityService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async create(actor: Actor, projectId: string, wish: NewAuthority): Promise<AuthorityRow> {
    const name = wish.name ?? slugFor(wish.commonName || wish.organization, NAME_LENGTH_MAX)
    await this.#deps.authorityLookup.require(actor, { projectId, name }, 'create')
    const algorithm = requireBuiltAlgorithm(wish.keyAlgorithm)
    const dn = requireWellFormed(wish)
    const term = this.#firstTerm(wish)

    const { keySource, ...rest } = wish
    const { privateKey, publicKey } = await generateKeyPair(algorithm)
    const friendlyName = wish.friendlyName === '' ? dn : wish.friendlyName
    const row = { ...rest, id: newId(), projectId, name, dn, friendlyName, keyAlgorithm: algorithm }
    const created = await this.#deps.db.transaction(async (tx) => {
      await this.#insert(
        tx,
        { ...row, publicKey: exportPublicKey(publicKey), status: 'pending-certificate' },
        privateKey,
      )
      await this.#deps.revocations.createList(tx, row.id)
      if (term) {
        const authority = { ...row, publicKey: exportPublicKey(publicKey) }
        await this.#deps.authorityInstaller.selfSigned(tx, authority, privateKey, term)
      }
      const metadata = { name, caId: row.id, keySource, hsmConnectorId: null }
      await this.#tell(tx, actor, { type: 'create-certificate-authority', projectId, metadata })
      return getStored(tx, row.id)
    })
    if (term) await this.#deps.revocations.published(row.id)
    return created
  }

  async get(actor: Actor, id: string): Promise<AuthorityRow> {
    return this.#noteRead(actor, await this.#deps.authorityLookup.get(actor, id, 'read'))
  }

  async getByName(actor: Actor, projectId: string, name: string): Promise<AuthorityRow> {
    return this.#noteRead(actor, await this.#deps.authorityLookup.getByName(actor, { projectId, name }, 'read'))
  }

  /** For whoever is about to do more with it than read it. */
  async findIdByName(actor: Actor, named: { projectId: string; name: string }, action: 'edit' | 'delete') {
    return (await this.#deps.authorityLookup.getByName(actor, named, action)).id
  }

  async list(actor: Actor, projectId: string): Promise<AuthorityRow[]> {
    return this.#noteList(actor, projectId, await this.#deps.authorityLookup.list(actor, projectId))
  }

  /** A page of those that fit, the ones that changed last first. */
  async search(actor: Actor, projectId: string, { offset, limit, ...filter }: Search): Promise<AuthorityRow[]> {
    const found = await this.#deps.authorityLookup.listFiltered(actor, projectId, filter)
    return this.#noteList(actor, projectId, found.slice(offset, offset + limit))
  }

  async update(actor: Actor, id: string, changes: AuthorityChanges): Promise<AuthorityRow> {
    const { projectId } = await this.#deps.authorityLookup.get(actor, id, 'edit')
    if (changes.name !== undefined) {
      await this.#deps.authorityLookup.require(actor, { projectId, name: changes.name }, 'edit')
    }
    return this.#deps.db.transaction(async (tx) => {
      const before = await store.lock(tx, id)
      if (!before) throw noSuchAuthority(id)
      requireStatus(before, changes.status)
      if (Object.values(changes).every((value) => value === undefined)) return before
      await store.update(tx, id, withoutUndefined(changes)).catch((error: unknown) => {
        throw isUniqueViolation(error) ? nameTaken(changes.name ?? '') : error
      })
      const after = await getStored(tx, id)
      const metadata = { caId: id, name: after.name, status: after.status }
      await this.#tell(tx, actor, { type: 'update-certificate-authority', projectId, metadata })
      return after
    })
  }

  /** With all that it has issued. What it has taken back stays on the list that its certificates point to. */
  async delete(actor: Actor, id: string): Promise<AuthorityRow> {
    const { projectId } = await this.#deps.authorityLookup.get(actor, id, 'delete')
    return this.#deps.db.transaction(async (tx) => {
      const authority = await store.lockToDelete(tx, id)
      if (!authority) throw noSuchAuthority(id)
      await this.#deps.revocations.publishLast(tx, id)
      await store.deleteById(tx, id)
      const metadata = { caId: id, name: authority.name }
      await this.#tell(tx, actor, { type: 'delete-certificate-authority', projectId, metadata })
      return authority
    })
  }

  /** A root whose end is known gets its certificate at once. */
  #firstTerm({ type, notBefore, notAfter, maxPathLength }: NewAuthority) {
    const now = new Date(this.#deps.clock.now())
    if (notBefore && notAfter) requireSpan({ notBefore, notAfter }, now)
    if (type !== 'root' || !notAfter) return undefined
    const term = { notBefore: notBefore ?? beginning(now), notAfter, pathLength: maxPathLength }
    requireSpan(term, now)
    return term
  }

  async #insert(tx: Tx, row: Omit<store.NewAuthority, 'privateKey'>, key: KeyObject): Promise<void> {
    const place = { purpose: 'authority-key', projectId: row.projectId, rowId: row.id } as const
    const privateKey = await this.#deps.keyBox.seal(tx, place, key)
    const isNew = await store.insert(tx, { ...row, privateKey }).catch((error: unknown) => {
      throw isForeignKeyViolation(error) ? notFound(`Project with id '${row.projectId}' not found`) : error
    })
    if (!isNew) throw nameTaken(row.name)
  }

  async #tell(tx: Tx, actor: Actor, event: { type: string; projectId: string; metadata: { caId: string } }) {
    await this.#deps.audit.record(tx, actor, event)
    const { caId } = event.metadata
    await this.#deps.changes.append(tx, { scope: scopeOf(caId), kind: 'certificate-authority-changed' })
  }

  async #noteRead(actor: Actor, authority: AuthorityRow): Promise<AuthorityRow> {
    const { id: caId, name, projectId } = authority
    await this.#deps.audit.note(actor, { type: 'get-certificate-authority', projectId, metadata: { caId, name } })
    return authority
  }

  async #noteList(actor: Actor, projectId: string, authorities: AuthorityRow[]): Promise<AuthorityRow[]> {
    const metadata = { count: authorities.length }
    await this.#deps.audit.note(actor, { type: 'get-certificate-authorities', projectId, metadata })
    return authorities
  }
}

const getStored = async (tx: Tx, id: string): Promise<AuthorityRow> => {
  const authority = await store.findById(tx, id)
  if (!authority) throw noSuchAuthority(id)
  return authority
}

/** Its whole name as text. */
const requireWellFormed = (wish: NewAuthority): string => {
  if (wish.keySource !== 'infisical')
    throw badRequest('Keys in hardware modules are not built here: leave keySource out')
  const subject = subjectOf(wish)
  encodeName(subject)
  const dn = describeName(subject)
  if (dn.length <= DN_LENGTH_MAX) return dn
  throw badRequest(`The distinguished name has ${dn.length} characters; the most is ${DN_LENGTH_MAX}`)
}

const requireStatus = ({ activeCertificateId, status }: AuthorityRow, wanted: store.AuthorityStatus | undefined) => {
  if (wanted === undefined || wanted === status) return
  if (wanted === 'pending-certificate') throw badRequest('The status can be set to active or disabled')
  if (activeCertificateId === null && wanted === 'active') {
    throw badRequest('The certificate authority has no certificate yet: generate or import one first')
  }
}

const withoutUndefined = (changes: AuthorityChanges): store.AuthorityChanges =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))

const nameTaken = (name: string) => badRequest(`The project has a certificate authority named '${name}' already`)
