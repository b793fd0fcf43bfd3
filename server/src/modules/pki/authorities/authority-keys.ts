import type { KeyObject } from 'node:crypto'
import { badRequest } from '../../../lib/app-error.ts'
import { isUuid } from '../../../lib/uuid.ts'
import { TrustedCache } from '../../../platform/changes/cache.ts'
import type { ChangeFeed } from '../../../platform/changes/feed.ts'
import type { Database, Db, Tx } from '../../../platform/db/db.ts'
import type { KeyBox } from '../key-box.ts'
import type { Issuer } from '../x509/certificate.ts'
import { toPem } from '../x509/pem.ts'
import * as store from './authorities.store.ts'
import type { AuthorityRow } from './authorities.store.ts'
import * as certificates from './authority-certificates.store.ts'

export type { AuthorityRow } from './authorities.store.ts'

type Deps = { db: Database; changes: ChangeFeed; keyBox: KeyBox; config: { siteUrl: string } }

/** An authority that has a certificate, with all that it needs to sign. Whether it may, its status says. */
export type Signer = {
  ca: AuthorityRow
  issuer: Issuer
  certificateId: string
  /** This certificate and those above. */
  chainPem: string
  /** How long, and how deep, what it signs may reach. */
  validity: { notBefore: Date; notAfter: Date }
  pathLength: number | null
  crlUrls: string[]
  issuerUrl: string
  ocspUrl: string
}

/** With its certificates, some tens of kilobytes at the very most. */
const CACHED_MAX = 1_000

export const scopeOf = (caId: string): string => `certificate-authority:${caId}`

/** Opens the keys of authorities. */
export class AuthorityKeys {
  readonly #deps: Deps
  /** With their keys, which take longer to open than to sign with. */
  readonly #cache: TrustedCache<Signer>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#cache = new TrustedCache(deps.changes, CACHED_MAX)
  }

  /** Undefined when there is no such authority, or it has no certificate yet. Not inside a transaction. */
  async signer(caId: string): Promise<Signer | undefined> {
    if (!isUuid(caId)) return undefined
    return this.#cache.get(caId, [scopeOf(caId)], async (alsoTag) => {
      const loaded = await this.#load(this.#deps.db.pool, caId)
      if (loaded) alsoTag(`project:${loaded.ca.projectId}`)
      return loaded
    })
  }

  /** The same in a transaction, as that finds it. */
  signerIn(tx: Tx, caId: string): Promise<Signer | undefined> {
    return this.#load(tx, caId)
  }

  /** The key alone, also of an authority that has no certificate yet. */
  async privateKey(db: Db, { id, projectId }: Pick<AuthorityRow, 'id' | 'projectId'>): Promise<KeyObject | undefined> {
    const sealed = await store.findPrivateKey(db, id)
    return sealed && this.#deps.keyBox.open(db, { purpose: 'authority-key', projectId, rowId: id }, sealed)
  }

  /** Throws when the authority may not issue any more; from then on, it may until the end of the transaction. */
  async holdToIssue(tx: Tx, { ca }: Pick<Signer, 'ca'>): Promise<void> {
    const { name } = ca
    const now = await store.lockToIssue(tx, ca)
    if (now?.status !== 'active') throw badRequest(`The certificate authority '${name}' is not active`)
    if (now.isRevoked)
      throw badRequest(`The certificate of the authority '${name}', or of one above it, has been revoked`)
  }

  async #load(db: Db, caId: string): Promise<Signer | undefined> {
    const ca = await store.findById(db, caId)
    const certificate = ca && (await certificates.findActive(db, caId))
    const key = certificate && (await this.privateKey(db, ca))
    if (!key) return undefined

    const listId = await certificates.findListId(db, caId)
    const pathOf = (path: string) => `${this.#deps.config.siteUrl}/api/${path}`
    const isManaged = listId !== undefined && !ca.disableManagedCrlDistributionPointUrl
    const managedUrls = isManaged ? [pathOf(`v1/cert-manager/crl/${listId}/der`)] : []
    return {
      ca,
      issuer: { key, keyAlgorithm: ca.keyAlgorithm, certificate: certificate.der },
      certificateId: certificate.id,
      chainPem: toPem('CERTIFICATE', certificate.der) + certificate.chain,
      validity: { notBefore: certificate.notBefore, notAfter: certificate.notAfter },
      pathLength: certificate.maxPathLength,
      crlUrls: [...managedUrls, ...ca.crlDistributionPointUrls],
      issuerUrl: pathOf(`v1/cert-manager/ca/internal/${caId}/certificates/${certificate.id}/der`),
      ocspUrl: pathOf(`x/ocsp/${caId}`),
    }
  }
}
