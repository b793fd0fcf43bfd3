import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { Keyring } from '../../platform/crypto/keyring.ts'
import { keyIdOf, open, seal, type SealContext } from '../../platform/crypto/sealing.ts'
import type { Db } from '../../platform/db/db.ts'
import { DATA_KEY_PURPOSE } from '../projects/projects.service.ts'

/** Whose private key it is: it opens nowhere else. */
export type KeyPlace = { purpose: 'authority-key' | 'certificate-key'; projectId: string; rowId: string }

/** Seals and opens private keys with the keys of their projects. */
export class KeyBox {
  readonly #keyring: Keyring

  constructor({ keyring }: { keyring: Keyring }) {
    this.#keyring = keyring
  }

  async seal(db: Db, place: KeyPlace, privateKey: KeyObject): Promise<Buffer> {
    const key = await this.#keyring.ensure(db, DATA_KEY_PURPOSE, place.projectId)
    return seal(key, toPkcs8(privateKey), contextOf(place))
  }

  /** Throws when it is not what was sealed in its place. */
  async open(db: Db, place: KeyPlace, sealed: Buffer): Promise<KeyObject> {
    const key = await this.#keyring.byId(db, keyIdOf(sealed))
    return fromPkcs8(open(key, sealed, contextOf(place)))
  }
}

export const toPkcs8 = (privateKey: KeyObject): Buffer => privateKey.export({ type: 'pkcs8', format: 'der' })

const fromPkcs8 = (der: Buffer): KeyObject => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })

const contextOf = ({ purpose, projectId, rowId }: KeyPlace): SealContext => ({
  purpose,
  // A project never changes its organization.
  organizationId: null,
  projectId,
  folderId: null,
  rowId,
  version: null,
  field: 'private-key',
})
