import { forbidden } from '../../lib/app-error.ts'
import type { Entered, Home, Places } from './places.service.ts'
import { parseReferences, type Reference } from './references.ts'
import type { ListedSecret } from './secret-views.ts'
import type { Snapshots } from './snapshots.service.ts'
import { fieldsOf } from './visibility.ts'

type Deps = { places: Places; snapshots: Snapshots; entered: Entered }
type Found = { secret: ListedSecret; home: Home; name: string }

const DEPTH_MAX = 10
/** References to references grow fast: beyond these, the text is left as it is. */
const SUBSTITUTIONS_MAX = 10_000
const EXPANDED_LENGTH_MAX = 8 * 1_024 * 1_024

/** Puts in place of references what they name, for one answer. What is missing, or leads back to itself, stays as text. */
export class Expander {
  readonly #deps: Deps
  readonly #found = new Map<string, Promise<Found | undefined>>()
  #substitutions = 0
  #length = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** `homes`: where names without a place are looked for, in order, its own place last. Throws when the actor may not read what is named. */
  async expand(secret: ListedSecret, homes: readonly Home[]): Promise<string> {
    const { workspace: projectId, environment, secretPath: path } = secret
    const own = nameOf({ projectId, environment, path }, secret.secretKey)
    const value = await this.#resolve(secret.secretValue, homes, [own])
    const isQuoted = secret.skipMultilineEncoding && value !== secret.secretValue && value.includes('\n')
    // wire: the flag does the opposite of its name, and only here.
    return isQuoted ? `"${value.replaceAll('\n', '\\n')}"` : value
  }

  async #resolve(value: string, homes: readonly Home[], trail: readonly string[]): Promise<string> {
    let expanded = ''
    for (const part of parseReferences(value)) {
      expanded += typeof part === 'string' ? part : await this.#substitute(part, homes, trail)
    }
    return expanded
  }

  async #substitute(reference: Reference, homes: readonly Home[], trail: readonly string[]): Promise<string> {
    if (trail.length > DEPTH_MAX || !this.#hasBudget()) return reference.text
    const found = await this.#find(reference, homes)
    if (!found || trail.includes(found.name)) return reference.text
    this.#substitutions++
    this.#length += found.secret.secretValue.length
    // wire: what another project gives is taken as it is.
    if (reference.project !== undefined) return found.secret.secretValue
    return this.#resolve(found.secret.secretValue, [found.home], [...trail, found.name])
  }

  #hasBudget(): boolean {
    return this.#substitutions < SUBSTITUTIONS_MAX && this.#length < EXPANDED_LENGTH_MAX
  }

  async #find(reference: Reference, homes: readonly Home[]): Promise<Found | undefined> {
    for (const home of await this.#homesOf(reference, homes)) {
      const found = await this.#findAt(home, reference.key)
      if (found) return found
    }
    return undefined
  }

  async #homesOf({ environment, path, project }: Reference, homes: readonly Home[]): Promise<readonly Home[]> {
    if (environment === undefined || path === undefined) return homes
    const projectId =
      project === undefined
        ? homes.at(-1)?.projectId
        : (await this.#deps.entered.elsewhere({ projectSlug: project }))?.project.id
    return projectId === undefined ? [] : [{ projectId, environment, path }]
  }

  #findAt(home: Home, key: string): Promise<Found | undefined> {
    const name = nameOf(home, key)
    let found = this.#found.get(name)
    if (!found) this.#found.set(name, (found = this.#load(home, key, name)))
    return found
  }

  async #load(home: Home, key: string, name: string): Promise<Found | undefined> {
    const { places, snapshots, entered: own } = this.#deps
    const entered = home.projectId === own.project.id ? own : await own.elsewhere({ projectId: home.projectId })
    const place = entered && (await places.find(entered.project, home))
    const snapshot = place && (await snapshots.get(place))
    const entry = snapshot?.find(key, { isPersonal: false })
    if (!entered || !snapshot || !entry) return undefined
    if (!(await entered.ability.can('readValue', 'secrets', fieldsOf(home, entry)))) {
      throw forbidden(
        `The value refers to the secret '${key}' in '${home.path}' of environment '${home.environment}', which you may not read`,
      )
    }
    return { secret: snapshot.read(entry), home, name }
  }
}

const nameOf = ({ projectId, environment, path }: Home, key: string): string =>
  `${projectId} ${environment} ${path} ${key}`
