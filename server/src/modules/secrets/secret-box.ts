import type { DataKey } from '../../platform/crypto/data-key.ts'
import type { Keyring } from '../../platform/crypto/keyring.ts'
import { keyIdOf, open, seal, type SealContext } from '../../platform/crypto/sealing.ts'
import type { Db } from '../../platform/db/db.ts'
import { DATA_KEY_PURPOSE } from '../projects/projects.service.ts'
import { targetsOf } from './reference-targets.ts'
import type { MetadataItem, Secret } from './secret.ts'
import type { SealedSecret, SecretRow } from './secrets.store.ts'

type Owner = { organizationId: string; projectId: string }
/** What is sealed of one version of a secret, and what binds it to its place. */
type Sealed = Pick<SecretRow, 'id' | 'folderId' | 'version' | 'value' | 'comment' | 'metadata' | 'sealedMetadata'>

/** Seals and opens secrets with the keys of their projects. */
export class SecretBox {
  readonly #keyring: Keyring

  constructor({ keyring }: { keyring: Keyring }) {
    this.#keyring = keyring
  }

  /** The key for what is written now. */
  key(db: Db, projectId: string): Promise<DataKey> {
    return this.#keyring.ensure(db, DATA_KEY_PURPOSE, projectId)
  }

  seal(key: DataKey, owner: Owner, secret: Omit<Secret, 'createdAt' | 'updatedAt'>): SealedSecret {
    const { tags, value, comment, metadata, ...rest } = secret
    const hidden = metadata.filter(({ isEncrypted }) => isEncrypted).map((item) => item.value)
    const sealAs = (field: string, text: string) => seal(key, text, contextOf(owner, secret, field))
    return {
      ...rest,
      value: sealAs('value', value),
      comment: comment === '' ? null : sealAs('comment', comment),
      metadata: metadata.map((item) => (item.isEncrypted ? { ...item, value: null } : item)),
      sealedMetadata: hidden.length === 0 ? null : sealAs('metadata', JSON.stringify(hidden)),
      tagIds: tags.map(({ id }) => id),
      referenced: targetsOf(value, owner),
    }
  }

  /** Throws when one of them is not what was sealed in its place. */
  async open<Row extends Sealed>(db: Db, owner: Owner, rows: readonly Row[]) {
    const keys = new Map<string, DataKey>()
    for (const { value, comment, sealedMetadata } of rows) {
      for (const sealed of [value, comment, sealedMetadata]) {
        const id = sealed && keyIdOf(sealed)
        if (id && !keys.has(id)) keys.set(id, await this.#keyring.byId(db, id))
      }
    }
    return rows.map((row) => opened(row, (sealed, field) => openWith(keys, sealed, contextOf(owner, row, field))))
  }
}

const contextOf = (
  { organizationId, projectId }: Owner,
  { id, folderId, version }: Pick<Secret, 'id' | 'folderId' | 'version'>,
  field: string,
): SealContext => ({ purpose: 'secret', organizationId, projectId, folderId, rowId: id, version, field })

const openWith = (keys: ReadonlyMap<string, DataKey>, sealed: Buffer, context: SealContext): string => {
  const key = keys.get(keyIdOf(sealed))
  if (!key) throw new Error('A secret was sealed with a key that was not asked for')
  return open(key, sealed, context).toString()
}

const opened = <Row extends Sealed>(row: Row, openAs: (sealed: Buffer, field: string) => string) => {
  const { value, comment, metadata, sealedMetadata, ...rest } = row
  const hidden = sealedMetadata ? (JSON.parse(openAs(sealedMetadata, 'metadata')) as string[]) : []
  let next = 0
  return {
    ...rest,
    value: openAs(value, 'value'),
    comment: comment ? openAs(comment, 'comment') : '',
    metadata: metadata.map((item): MetadataItem => ({ ...item, value: item.value ?? hidden[next++] ?? '' })),
  }
}
