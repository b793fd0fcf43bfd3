import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { AppError } from '../../lib/app-error.ts'
import type { Expander } from './expander.ts'
import type { Environment, Home, Place } from './places.service.ts'
import { concealed, type ListedSecret, toImportedSecret } from './secret-views.ts'
import type { Shown } from './visibility.ts'

export type ShownImport = { place: Place; environment: Environment; shown: Shown[] }
/** The body is made only when it is asked for, unless its tag cannot be told without it. */
export type RenderedList = { tag: string; body: () => Body }
type Body = string | Buffer | Readable

type Options = { expander: Expander; importing: Place; isExpanded: boolean; isRelative: boolean }

/** More than that is opened as fast as it is read: as one piece it would cost V8 more to make room for than to fill. */
const IN_ONE_GO_MAX = 500
const OPENING = Buffer.from('{"secrets":[')
const CLOSING = Buffer.from('],"imports":[]}')

/** Writes the answer of a list. */
export class SecretListRenderer {
  readonly #options: Options
  /** Why references could not be followed; such a list must not be sent. */
  readonly refusals: string[] = []

  constructor(options: Options) {
    this.#options = options
  }

  async render(shown: readonly Shown[], imports: readonly ShownImport[]): Promise<RenderedList> {
    const isPlain = !shown.some((part) => this.#needsExpansion(part)) && imports.length === 0
    if (isPlain) return { tag: tagOf(fingerprintOf(shown)), body: () => plainBody(shown) }

    const own: string[] = []
    for (const part of shown) own.push(this.#needsExpansion(part) ? await this.#expandedText(part) : plainText(part))
    const text = answer(own, (await this.renderImports(imports)).join())
    return { tag: tagOf(text), body: () => text }
  }

  async renderImports(imports: readonly ShownImport[]): Promise<string[]> {
    const blocks: string[] = []
    for (const block of imports) blocks.push(await this.#block(block))
    return blocks
  }

  #needsExpansion({ entries, areHidden }: Shown): boolean {
    return this.#options.isExpanded && !areHidden && entries.some(({ hasReference }) => hasReference)
  }

  async #expandedText({ snapshot, spot, entries }: Shown): Promise<string> {
    const texts = snapshot.texts(entries)
    const expanded: string[] = []
    for (const [index, { hasReference }] of entries.entries()) {
      const text = texts[index] ?? ''
      expanded.push(hasReference ? await this.#expandedOwn(text, spot) : text)
    }
    return expanded.join()
  }

  async #expandedOwn(text: string, spot: Home): Promise<string> {
    const secret = JSON.parse(text) as ListedSecret
    try {
      return JSON.stringify({ ...secret, secretValue: await this.#options.expander.expand(secret, [spot]) })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.refusals.push(error.message)
      return text
    }
  }

  async #block({ place, shown }: ShownImport): Promise<string> {
    const secrets: unknown[] = []
    for (const { snapshot, spot, entries, areHidden } of shown) {
      const texts = snapshot.texts(entries)
      for (const [index, { hasReference }] of entries.entries()) {
        const secret = JSON.parse(texts[index] ?? '') as ListedSecret
        const value = hasReference && !areHidden ? await this.#expandedImport(secret, spot) : secret.secretValue
        secrets.push(this.#imported({ ...secret, secretValue: value }, areHidden))
      }
    }
    const { path: secretPath, environment, folderId } = place
    return JSON.stringify({ secretPath, environment, folderId, secrets })
  }

  #imported(secret: ListedSecret, isHidden: boolean) {
    const { isRelative, importing } = this.#options
    return toImportedSecret(isHidden ? concealed(secret) : secret, isRelative ? importing.path : undefined)
  }

  /** wire: what an import brings is always expanded, and a reference that may not be followed stays as it is. */
  async #expandedImport(secret: ListedSecret, source: Home): Promise<string> {
    const { isRelative, importing, expander } = this.#options
    try {
      return await expander.expand(secret, isRelative ? [importing, source] : [source])
    } catch (error) {
      if (error instanceof AppError) return secret.secretValue
      throw error
    }
  }
}

/** Most lists are of one folder, whole. */
const plainBody = (shown: readonly Shown[]): Body => {
  const [part, ...others] = shown
  if (!part || others.length > 0 || !isWhole(part)) return answer(shown.map(plainText), '')
  const parts = wholeBody(part)
  return part.entries.length > IN_ONE_GO_MAX ? Readable.from(parts) : Buffer.concat([...parts])
}

function* wholeBody({ snapshot }: Shown): Generator<Buffer> {
  yield OPENING
  yield* snapshot.bytes()
  yield CLOSING
}

const isWhole = ({ snapshot, entries, areHidden }: Shown): boolean =>
  !areHidden && entries.length === snapshot.entries.length

const plainText = ({ snapshot, entries, areHidden }: Shown): string => {
  const texts = snapshot.texts(entries)
  if (!areHidden) return texts.join()
  return entries.map(({ isPersonal }, index) => (isPersonal ? texts[index] : hiddenText(texts[index]))).join()
}

const hiddenText = (text = ''): string => JSON.stringify(concealed(JSON.parse(text) as ListedSecret))

const answer = (own: readonly string[], imports: string): string =>
  `{"secrets":[${own.filter((text) => text !== '').join()}],"imports":[${imports}]}`

/** Everything that decides what the answer holds. */
const fingerprintOf = (shown: readonly Shown[]): string =>
  JSON.stringify(
    shown.map(({ snapshot, entries, areHidden }) => [
      snapshot.fingerprint,
      entries.length === snapshot.entries.length ? 'all' : entries.map(({ index }) => index),
      areHidden,
    ]),
  )

const tagOf = (text: string): string => `"${createHash('sha256').update(text).digest('base64url')}"`
