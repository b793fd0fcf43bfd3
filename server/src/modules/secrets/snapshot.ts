import { createHash } from 'node:crypto'
import type { ProcessSeal } from '../../platform/crypto/process-seal.ts'
import type { Place } from './places.service.ts'
import { hasReference } from './references.ts'
import type { MetadataItem, Secret } from './secret.ts'
import { type ListedSecret, toListedSecret } from './secret-views.ts'

/** What can be known of a secret without opening anything. */
export type Entry = {
  index: number
  id: string
  key: string
  isPersonal: boolean
  version: number
  /** Slugs. */
  tags: readonly string[]
  metadata: readonly MetadataItem[]
  hasReference: boolean
}

/** One is opened to read one secret, all to read them all: few enough for both. */
const ENTRIES_PER_BLOCK = 64
/** JSON has no line breaks inside its strings, so this cannot be part of a secret. */
const SEPARATOR = ',\n'
const SEPARATOR_BYTES = Buffer.from(SEPARATOR)
const ENTRY_BYTES = 300

/** The content of a folder at one moment, ready to be sent and sealed in memory. */
export class Snapshot {
  readonly entries: readonly Entry[]
  /** The same for the same content, in every process. */
  readonly fingerprint: string
  readonly weightBytes: number
  readonly #blocks: readonly Buffer[]
  /** Where each secret begins in its block, in bytes. */
  readonly #starts: Uint32Array
  readonly #seal: ProcessSeal
  readonly #name: string
  #byKey: ReadonlyMap<string, Entry> | undefined

  constructor(place: Place, secrets: readonly Secret[], seal: ProcessSeal) {
    this.#seal = seal
    this.#name = place.folderId
    this.entries = secrets.map(toEntry)
    this.fingerprint = fingerprintOf(place, secrets)
    const texts = secrets.map((secret) => JSON.stringify(toListedSecret(secret, place)))
    this.#starts = new Uint32Array(texts.length)
    this.#blocks = Array.from({ length: Math.ceil(texts.length / ENTRIES_PER_BLOCK) }, (_, block) => {
      const first = block * ENTRIES_PER_BLOCK
      const some = texts.slice(first, first + ENTRIES_PER_BLOCK)
      let start = 0
      for (const [index, text] of some.entries()) {
        this.#starts[first + index] = start
        start += Buffer.byteLength(text) + SEPARATOR_BYTES.length
      }
      return seal.seal(some.join(SEPARATOR), `${this.#name} ${block}`)
    })
    const sealedBytes = this.#blocks.reduce((sum, { length }) => sum + length, 0)
    this.weightBytes = sealedBytes + ENTRY_BYTES * (secrets.length + 1)
  }

  find(key: string, { isPersonal }: { isPersonal: boolean }): Entry | undefined {
    this.#byKey ??= new Map(this.entries.map((entry) => [nameOf(entry), entry]))
    return this.#byKey.get(nameOf({ key, isPersonal }))
  }

  /** All secrets as they are listed, without brackets: as bytes, so that nothing is decoded only to be encoded again. */
  *bytes(): Generator<Buffer> {
    for (const block of this.#blocks.keys()) {
      if (block > 0) yield SEPARATOR_BYTES
      yield this.#openBytes(block)
    }
  }

  /** The chosen ones, in their order. */
  texts(chosen: readonly Entry[]): string[] {
    const opened = new Map<number, Buffer>()
    return chosen.map(({ index }) => {
      const block = Math.floor(index / ENTRIES_PER_BLOCK)
      let bytes = opened.get(block)
      if (!bytes) opened.set(block, (bytes = this.#openBytes(block)))
      return this.#textIn(bytes, index)
    })
  }

  read({ index }: Entry): ListedSecret {
    const bytes = this.#openBytes(Math.floor(index / ENTRIES_PER_BLOCK))
    return JSON.parse(this.#textIn(bytes, index)) as ListedSecret
  }

  #textIn(bytes: Buffer, index: number): string {
    const next = (index + 1) % ENTRIES_PER_BLOCK === 0 ? undefined : this.#starts[index + 1]
    return bytes.toString(
      'utf8',
      this.#starts[index],
      next === undefined ? bytes.length : next - SEPARATOR_BYTES.length,
    )
  }

  #openBytes(block: number): Buffer {
    const sealed = this.#blocks[block]
    return sealed ? this.#seal.open(sealed, `${this.#name} ${block}`) : Buffer.alloc(0)
  }
}

const nameOf = ({ key, isPersonal }: Pick<Entry, 'key' | 'isPersonal'>): string => (isPersonal ? `p${key}` : `s${key}`)

const toEntry = (secret: Secret, index: number): Entry => ({
  index,
  id: secret.id,
  key: secret.key,
  isPersonal: secret.userId !== null,
  version: secret.version,
  tags: secret.tags.map(({ slug }) => slug),
  metadata: secret.metadata.filter(({ isEncrypted }) => !isEncrypted),
  hasReference: hasReference(secret.value),
})

const fingerprintOf = ({ projectId, environment, path }: Place, secrets: readonly Secret[]): string =>
  createHash('sha256')
    .update(JSON.stringify([projectId, environment, path]))
    .update(JSON.stringify(secrets.map(({ id, version, updatedAt, tags }) => [id, version, updatedAt, tags])))
    .digest('base64url')
