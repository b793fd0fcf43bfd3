import { forbidden } from '../../lib/app-error.ts'
import type { ProjectDetails } from '../projects/projects.service.ts'
import type { Ability, Places, Spot } from './places.service.ts'
import { parseReferences, type Reference } from './references.ts'
import type { ListedSecret } from './secret-views.ts'
import type { Snapshots } from './snapshots.service.ts'
import { fieldsOf } from './visibility.ts'

type Deps = { places: Places; snapshots: Snapshots; project: ProjectDetails; ability: Ability }
type Found = { secret: ListedSecret; spot: Spot; name: string }

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

  /** `homes`: where names without a place are looked for, in order. Throws when the actor may not read what is named. */
  async expand(secret: ListedSecret, homes: readonly Spot[]): Promise<string> {
    const own = nameOf({ environment: secret.environment, path: secret.secretPath }, secret.secretKey)
    const value = await this.#resolve(secret.secretValue, homes, [own])
    const isQuoted = secret.skipMultilineEncoding && value !== secret.secretValue && value.includes('\n')
    // wire: the flag does the opposite of its name, and only here.
    return isQuoted ? `"${value.replaceAll('\n', '\\n')}"` : value
  }

  async #resolve(value: string, homes: readonly Spot[], trail: readonly string[]): Promise<string> {
    let expanded = ''
    for (const part of parseReferences(value)) {
      expanded += typeof part === 'string' ? part : await this.#substitute(part, homes, trail)
    }
    return expanded
  }

  async #substitute(reference: Reference, homes: readonly Spot[], trail: readonly string[]): Promise<string> {
    if (trail.length > DEPTH_MAX || !this.#hasBudget()) return reference.text
    const found = await this.#find(reference, homes)
    if (!found || trail.includes(found.name)) return reference.text
    this.#substitutions++
    this.#length += found.secret.secretValue.length
    return this.#resolve(found.secret.secretValue, [found.spot], [...trail, found.name])
  }

  #hasBudget(): boolean {
    return this.#substitutions < SUBSTITUTIONS_MAX && this.#length < EXPANDED_LENGTH_MAX
  }

  async #find({ key, environment, path }: Reference, homes: readonly Spot[]): Promise<Found | undefined> {
    const spots = environment !== undefined && path !== undefined ? [{ environment, path }] : homes
    for (const spot of spots) {
      const found = await this.#findAt(spot, key)
      if (found) return found
    }
    return undefined
  }

  #findAt(spot: Spot, key: string): Promise<Found | undefined> {
    const name = nameOf(spot, key)
    let found = this.#found.get(name)
    if (!found) this.#found.set(name, (found = this.#load(spot, key, name)))
    return found
  }

  async #load(spot: Spot, key: string, name: string): Promise<Found | undefined> {
    const { places, snapshots, project, ability } = this.#deps
    const place = await places.find(project, spot)
    const snapshot = place && (await snapshots.get(place))
    const entry = snapshot?.find(key, { isPersonal: false })
    if (!snapshot || !entry) return undefined
    if (!(await ability.can('readValue', 'secrets', fieldsOf(spot, entry)))) {
      throw forbidden(
        `The value refers to the secret '${key}' in '${spot.path}' of environment '${spot.environment}', which you may not read`,
      )
    }
    return { secret: snapshot.read(entry), spot, name }
  }
}

const nameOf = ({ environment, path }: Spot, key: string): string => `${environment} ${path} ${key}`
