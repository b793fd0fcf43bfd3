/** Secrets, imports, references and rules as simply as they can be told, for a server to be held against. */

export type Spot = { environment: string; path: string }
export type Rule = {
  isAllowed: boolean
  actions: readonly Action[]
  environment?: string
  path?: string
  keys?: readonly string[]
}
export type Action = 'describeSecret' | 'readValue'
/** `news` are `kind environment path key`, in any order. */
export type Outcome = { status: number; news: string[] }
export type Listed = { own: Record<string, string>; imports: { from: string; secrets: Record<string, string> }[] }
type Folder = { spot: Spot; secrets: Map<string, string>; imports: string[] }

const DEPTH_MAX = 10
const refused: Outcome = { status: 400, news: [] }
const absent: Outcome = { status: 404, news: [] }
class Forbidden extends Error {}

export const nameOf = ({ environment, path }: Spot): string => `${environment} ${path}`

/** What a rule says of a secret; without a rule nothing is allowed, and what forbids wins. */
export const may = (rules: readonly Rule[], action: Action, spot: Spot, key: string): boolean => {
  const applies = (rule: Rule) =>
    rule.actions.includes(action) &&
    (rule.environment === undefined || rule.environment === spot.environment) &&
    (rule.path === undefined || rule.path === spot.path) &&
    (rule.keys === undefined || rule.keys.includes(key))
  return (
    rules.some((rule) => rule.isAllowed && applies(rule)) && !rules.some((rule) => !rule.isAllowed && applies(rule))
  )
}

/** Whether there is any secret at all of which it may be so. */
const mayAnything = (rules: readonly Rule[], action: Action): boolean => {
  const saying = rules.filter(({ actions }) => actions.includes(action))
  const isGeneral = ({ environment, path, keys }: Rule) => !environment && !path && !keys
  return saying.some(({ isAllowed }) => isAllowed) && !saying.some((rule) => !rule.isAllowed && isGeneral(rule))
}

type Target = { spot: Spot; key: string }

const targetOf = (inside: string, home: Spot): Target => {
  const steps = inside.split('.')
  const key = steps.at(-1) ?? ''
  if (steps.length === 1) return { spot: home, key }
  return { spot: { environment: steps[0] ?? '', path: `/${steps.slice(1, -1).join('/')}` }, key }
}
const textOf = ({ spot, key }: Target): string =>
  [spot.environment, ...spot.path.split('/').filter((step) => step !== ''), key].join('.')
const isSame = (a: Target, b: Target) => nameOf(a.spot) === nameOf(b.spot) && a.key === b.key

export class NaiveSecrets {
  readonly #folders: Map<string, Folder>

  constructor(spots: readonly Spot[]) {
    this.#folders = new Map(spots.map((spot) => [nameOf(spot), { spot, secrets: new Map(), imports: [] }]))
  }

  create(spot: Spot, key: string, value: string): Outcome {
    const { secrets } = this.#at(spot)
    if (secrets.has(key)) return refused
    secrets.set(key, value)
    return this.#told([`secret-created ${nameOf(spot)} ${key}`])
  }

  update(spot: Spot, key: string, value: string): Outcome {
    const { secrets } = this.#at(spot)
    if (!secrets.has(key)) return absent
    secrets.set(key, value)
    return this.#told([`secret-updated ${nameOf(spot)} ${key}`])
  }

  delete(spot: Spot, key: string): Outcome {
    if (!this.#at(spot).secrets.delete(key)) return absent
    return this.#told([`secret-deleted ${nameOf(spot)} ${key}`])
  }

  rename(spot: Spot, key: string, to: string): Outcome {
    const { secrets } = this.#at(spot)
    const value = secrets.get(key)
    if (value === undefined) return absent
    if (secrets.has(to)) return refused
    secrets.delete(key)
    secrets.set(to, value)
    const where = nameOf(spot)
    const news = [`secret-deleted ${where} ${key}`, `secret-created ${where} ${to}`, `secret-updated ${where} ${to}`]
    return this.#told([...news, ...this.#follow({ spot, key }, { spot, key: to })])
  }

  move(from: Spot, to: Spot, key: string, isForced: boolean): Outcome {
    const [source, target] = [this.#at(from), this.#at(to)]
    const value = source.secrets.get(key)
    if (value === undefined) return absent
    const present = target.secrets.get(key)
    if (present === value || (present !== undefined && !isForced)) return refused
    target.secrets.set(key, value)
    source.secrets.delete(key)
    const verb = present === undefined ? 'created' : 'updated'
    const news = [`secret-${verb} ${nameOf(to)} ${key}`, `secret-deleted ${nameOf(from)} ${key}`]
    return this.#told([...news, ...this.#follow({ spot: from, key }, { spot: to, key })])
  }

  import(into: Spot, from: Spot): Outcome {
    const folder = this.#at(into)
    const isKnown = folder.imports.includes(nameOf(from))
    if (nameOf(into) === nameOf(from) || isKnown || this.#at(from).imports.includes(nameOf(into))) return refused
    folder.imports.push(nameOf(from))
    return this.#importTold(into)
  }

  dropImport(into: Spot, from: Spot): Outcome {
    const folder = this.#at(into)
    folder.imports = folder.imports.filter((name) => name !== nameOf(from))
    return this.#importTold(into)
  }

  importsOf(spot: Spot): Spot[] {
    return this.#at(spot).imports.map((name) => this.#named(name).spot)
  }

  /** The expanded value, or the status of a refusal. */
  read(rules: readonly Rule[], spot: Spot, key: string): string | number {
    if (!may(rules, 'describeSecret', spot, key)) return 403
    const own = this.#at(spot).secrets.get(key)
    if (own !== undefined && !may(rules, 'readValue', spot, key)) return 403
    const found = own === undefined ? this.#imported(rules, spot, key) : { spot, value: own }
    if (!found) return 404
    return orStatus(() => this.#expand(rules, found.value, [found.spot], [`${nameOf(found.spot)} ${key}`]))
  }

  list(rules: readonly Rule[], spot: Spot): Listed | number {
    if (!mayAnything(rules, 'describeSecret')) return 403
    const known = [...this.#at(spot).secrets].filter(([key]) => may(rules, 'describeSecret', spot, key))
    if (known.some(([key]) => !may(rules, 'readValue', spot, key))) return 403
    return orStatus(() => ({
      own: Object.fromEntries(
        known.map(([key, value]) => [key, this.#expand(rules, value, [spot], [`${nameOf(spot)} ${key}`])]),
      ),
      imports: this.#listImports(rules, spot),
    }))
  }

  #listImports(rules: readonly Rule[], spot: Spot): Listed['imports'] {
    const met = new Set<string>()
    const blocks = this.#blocks(spot).reverse()
    const listed = blocks.map((members) => {
      const secrets: Record<string, string> = {}
      for (const member of members) {
        for (const [key, value] of [...member.secrets].sort(([a], [b]) => (a < b ? -1 : 1))) {
          const isShown = may(rules, 'describeSecret', member.spot, key) && may(rules, 'readValue', member.spot, key)
          if (met.has(key) || !isShown) continue
          met.add(key)
          const trail = [`${nameOf(member.spot)} ${key}`]
          const expanded = orStatus(() => this.#expand(rules, value, [spot, member.spot], trail))
          secrets[key] = typeof expanded === 'number' ? value : expanded
        }
      }
      return { from: nameOf(members[0]?.spot ?? spot), secrets }
    })
    return listed.reverse()
  }

  #imported(rules: readonly Rule[], spot: Spot, key: string): { spot: Spot; value: string } | undefined {
    for (const members of this.#blocks(spot).reverse()) {
      for (const member of members) {
        const value = member.secrets.get(key)
        if (value !== undefined && may(rules, 'readValue', member.spot, key)) return { spot: member.spot, value }
      }
    }
    return undefined
  }

  /** Each import with what it imports, round by round. */
  #blocks(spot: Spot): Folder[][] {
    return this.#at(spot).imports.map((name) => {
      const met = new Set([nameOf(spot), name])
      const members: Folder[] = []
      let round = [this.#named(name)]
      while (round.length > 0) {
        members.push(...round)
        round = round
          .flatMap(({ imports }) => imports)
          .filter((next) => !met.has(next) && met.add(next))
          .map((next) => this.#named(next))
      }
      return members
    })
  }

  #expand(rules: readonly Rule[], value: string, homes: readonly Spot[], trail: readonly string[]): string {
    return value.replace(/\$\{([A-Za-z0-9_.-]+)\}/g, (text, inside: string) => {
      if (trail.length > DEPTH_MAX) return text
      const targets = inside.includes('.')
        ? [targetOf(inside, homes[0] ?? { environment: '', path: '' })]
        : homes.map((home) => targetOf(inside, home))
      for (const { spot, key } of targets) {
        const found = this.#folders.get(nameOf(spot))?.secrets.get(key)
        if (found === undefined) continue
        if (!may(rules, 'readValue', spot, key)) throw new Forbidden()
        const name = `${nameOf(spot)} ${key}`
        return trail.includes(name) ? text : this.#expand(rules, found, [spot], [...trail, name])
      }
      return text
    })
  }

  /** Lets every reference to `from` name `to`. */
  #follow(from: Target, to: Target): string[] {
    const news: string[] = []
    for (const { spot, secrets } of this.#folders.values()) {
      for (const [key, value] of secrets) {
        const next = value.replace(/\$\{([A-Za-z0-9_.-]+)\}/g, (text, inside: string) => {
          if (!isSame(targetOf(inside, spot), from)) return text
          const isLocal = !inside.includes('.') && nameOf(to.spot) === nameOf(spot)
          return `\${${isLocal ? to.key : textOf(to)}}`
        })
        if (next === value) continue
        secrets.set(key, next)
        news.push(`secret-updated ${nameOf(spot)} ${key}`)
      }
    }
    return news
  }

  /** With those who show a folder that is named, or show one who does, and were not named themselves. */
  #told(news: string[]): Outcome {
    const changed = new Set(news.map((text) => text.split(' ').slice(1, 3).join(' ')))
    return { status: 200, news: [...news, ...this.#dependentsOf(changed).map((name) => `import-mutated ${name}`)] }
  }

  #importTold(into: Spot): Outcome {
    const names = [nameOf(into), ...this.#dependentsOf(new Set([nameOf(into)]))]
    return { status: 200, news: names.map((name) => `import-mutated ${name}`) }
  }

  #dependentsOf(changed: ReadonlySet<string>): string[] {
    const met = new Set(changed)
    for (let size = -1; size !== met.size;) {
      size = met.size
      for (const [name, folder] of this.#folders) {
        if (this.#shows(folder).some((other) => other !== name && met.has(other))) met.add(name)
      }
    }
    return [...met].filter((name) => !changed.has(name))
  }

  #shows({ imports, secrets, spot }: Folder): string[] {
    const references = [...secrets.values()].flatMap((value) => [...value.matchAll(/\$\{([A-Za-z0-9_-]+\.[^}]*)\}/g)])
    return [...imports, ...references.map((match) => nameOf(targetOf(match[1] ?? '', spot).spot))]
  }

  #at(spot: Spot): Folder {
    return this.#named(nameOf(spot))
  }

  #named(name: string): Folder {
    const folder = this.#folders.get(name)
    if (!folder) throw new Error(`No folder ${name}`)
    return folder
  }
}

const orStatus = <T>(work: () => T): T | number => {
  try {
    return work()
  } catch (error) {
    if (error instanceof Forbidden) return 403
    throw error
  }
}
