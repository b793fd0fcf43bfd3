/**
 * Tells whether a regular expression matches a string in time proportional to the length of both, whatever they are.
 *
 * V8 backtracks: `^[^/]*a[^/]*a[^/]*a$` against a long run of "a" takes cubic time, and some expressions take forever.
 * Here every node maps the set of places where the rest may begin to the set of places where it may begin itself; a set
 * is one integer, so a node costs a few operations on it. Lookahead is cheap for the same reason.
 */
export type LinearRegex = {
  readonly root: Node
  readonly effort: Effort
  /** What every match begins with; empty unless the expression is anchored at the start. */
  readonly prefix: string
}

/** How much a backtracking engine may do: at most `branches * length ** repeats` tries. */
export type Effort = { branches: number; repeats: number }

type Node =
  | { kind: 'set'; source: string }
  | { kind: 'sequence'; nodes: readonly Node[] }
  | { kind: 'choice'; nodes: readonly Node[] }
  | { kind: 'optional'; node: Node }
  | { kind: 'repeat'; node: Node; atLeastOnce: boolean }
  | { kind: 'ahead'; node: Node; negative: boolean }
  | { kind: 'start' }
  | { kind: 'end' }

/** Each class is tried on every character of the text, so there may not be many. */
const CLASSES_MAX = 16
/** Deeper nesting is nobody's intention, and recursion has its limits. */
const DEPTH_MAX = 64
const SMALL_BRANCHES_MAX = 4

/** Undefined when the source uses more than this engine knows: back references, lookbehind, repeats of longer things. */
export const parseLinearRegex = (source: string): LinearRegex | undefined => {
  const parser = new Parser(source)
  const root = parser.parse()
  return root && { root, effort: effortOf(root), prefix: prefixOf(root) }
}

class Parser {
  readonly #source: string
  readonly #classes = new Set<string>()
  #at = 0
  #depth = 0
  #failed = false

  constructor(source: string) {
    this.#source = source
  }

  parse(): Node | undefined {
    const root = this.#choice()
    const isDone = this.#at === this.#source.length && this.#classes.size <= CLASSES_MAX
    return this.#failed || !isDone ? undefined : root
  }

  #choice(): Node {
    const nodes = [this.#sequence()]
    while (this.#take('|')) nodes.push(this.#sequence())
    return nodes.length === 1 && nodes[0] ? nodes[0] : { kind: 'choice', nodes }
  }

  #sequence(): Node {
    const nodes: Node[] = []
    while (!this.#failed && this.#at < this.#source.length && !'|)'.includes(this.#peek())) nodes.push(this.#term())
    return { kind: 'sequence', nodes }
  }

  #term(): Node {
    const node = this.#atom()
    if (this.#take('{0,1}') || this.#take('?')) return this.#quantified(node, { kind: 'optional', node })
    const atLeastOnce = this.#take('+')
    if (!atLeastOnce && !this.#take('*')) return node
    return width(node) === 1 ? this.#quantified(node, { kind: 'repeat', node, atLeastOnce }) : this.#fail()
  }

  #quantified(node: Node, repeated: Node): Node {
    this.#take('?') // Lazy or greedy is no matter to whether it matches at all.
    return width(node) === 0 ? this.#fail() : repeated
  }

  #atom(): Node {
    if (this.#take('(?:')) return this.#group((node) => node)
    if (this.#take('(?=')) return this.#group((node) => ({ kind: 'ahead', node, negative: false }))
    if (this.#take('(?!')) return this.#group((node) => ({ kind: 'ahead', node, negative: true }))
    if (this.#take('(')) return this.#peek() === '?' ? this.#fail() : this.#group((node) => node)
    if (this.#take('^')) return { kind: 'start' }
    if (this.#take('$')) return { kind: 'end' }
    return this.#set()
  }

  #group(wrap: (node: Node) => Node): Node {
    if (++this.#depth > DEPTH_MAX) return this.#fail()
    const node = wrap(this.#choice())
    this.#depth--
    return this.#take(')') ? node : this.#fail()
  }

  #set(): Node {
    SET.lastIndex = this.#at
    const source = SET.exec(this.#source)?.[0]
    if (!source) return this.#fail()
    this.#at += source.length
    if (source.startsWith('[')) this.#classes.add(source)
    return { kind: 'set', source: source.startsWith('\\') ? source.slice(1) : source === '.' ? ANY : source }
  }

  #peek(): string {
    return this.#source.charAt(this.#at)
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  #fail(): Node {
    this.#failed = true
    return { kind: 'end' }
  }
}

/** A class, an escaped mark or one plain character. `\d`, `\1` and their like are not known here. */
const SET = /(?:\[\^?(?:\\[^a-zA-Z0-9]|[^\\\]])+\]|\\[^a-zA-Z0-9]|[^\\[\](){*+?|^$])/sy
/** The dot as a class, so that it cannot be taken for an escaped one. */
const ANY = '[^\\n\\r\\u2028\\u2029]'

/** How many characters a node always takes; NaN where that varies. */
const width = (node: Node): number => {
  switch (node.kind) {
    case 'set':
      return 1
    case 'sequence':
      return node.nodes.reduce((total, inner) => total + width(inner), 0)
    case 'choice':
      return node.nodes.map(width).reduce((one, other) => (one === other ? one : NaN))
    case 'optional':
    case 'repeat':
      return NaN
    case 'ahead':
    case 'start':
    case 'end':
      return 0
  }
}

const effortOf = (node: Node): Effort => {
  switch (node.kind) {
    case 'sequence':
      return combine(node.nodes, 1)
    case 'choice':
      return combine(node.nodes, node.nodes.length)
    case 'optional':
      return combine([node.node], 2)
    case 'repeat':
      return { branches: 1, repeats: 1 }
    case 'ahead': {
      const inner = effortOf(node.node)
      // Looking ahead is one step, however often it is taken, if what it looks at is small.
      return inner.repeats === 0 && inner.branches <= SMALL_BRANCHES_MAX ? NONE : inner
    }
    default:
      return NONE
  }
}

const prefixOf = (root: Node): string => {
  const [first, ...rest] = flat(root)
  if (first?.kind !== 'start') return ''
  const length = rest.findIndex((node) => node.kind !== 'set' || node.source.length > 1)
  return rest
    .slice(0, length === -1 ? rest.length : length)
    .map((node) => (node.kind === 'set' ? node.source : ''))
    .join('')
}

/** A sequence of sequences as one. */
const flat = (node: Node): readonly Node[] => (node.kind === 'sequence' ? node.nodes.flatMap(flat) : [node])

const NONE: Effort = { branches: 1, repeats: 0 }

const combine = (nodes: readonly Node[], factor: number): Effort =>
  nodes
    .map(effortOf)
    .reduce((sum, effort) => ({ branches: sum.branches * effort.branches, repeats: sum.repeats + effort.repeats }), {
      branches: factor,
      repeats: 0,
    })

/** A set of places in the text: bit k stands for the place k characters before its end. */
type Places = bigint

class Text {
  readonly everywhere: Places
  readonly start: Places
  readonly #text: string
  readonly #sets = new Map<string, Places>()

  constructor(text: string) {
    this.#text = text
    this.start = 1n << BigInt(text.length)
    this.everywhere = (this.start << 1n) - 1n
  }

  /** The places whose next character belongs to the set. */
  before(source: string): Places {
    let places = this.#sets.get(source)
    if (places === undefined) {
      places = source.length === 1 ? this.#beforeCharacter(source) : this.#beforeClass(new RegExp(`^${source}$`))
      this.#sets.set(source, places)
    }
    return places
  }

  #beforeCharacter(character: string): Places {
    let places = 0n
    for (let at = this.#text.indexOf(character); at !== -1; at = this.#text.indexOf(character, at + 1)) {
      places |= this.start >> BigInt(at)
    }
    return places
  }

  #beforeClass(set: RegExp): Places {
    let bits = ''
    for (let at = 0; at < this.#text.length; at++) bits += set.test(this.#text.charAt(at)) ? '1' : '0'
    return BigInt(`0b${bits}0`)
  }
}

export const matchesLinear = (regex: LinearRegex, text: string): boolean => {
  const places = new Text(text)
  // Searching, as RegExp does: the match may begin and end anywhere unless anchored.
  return placesBefore(regex.root, places.everywhere, places) !== 0n
}

/** The places from which the node can reach one of `ends`. */
const placesBefore = (node: Node, ends: Places, text: Text): Places => {
  switch (node.kind) {
    case 'set':
      return (ends << 1n) & text.before(node.source)
    case 'sequence':
      return node.nodes.reduceRight((places, inner) => placesBefore(inner, places, text), ends)
    case 'choice':
      return node.nodes.reduce((places, inner) => places | placesBefore(inner, ends, text), 0n)
    case 'optional':
      return ends | placesBefore(node.node, ends, text)
    case 'repeat': {
      const steps = placesBefore(node.node, text.everywhere, text)
      const first = (ends << 1n) & steps
      // Adding carries each first step through the whole run of steps above it.
      const run = (((first + steps) ^ steps) | first) & steps
      return node.atLeastOnce ? run : ends | run
    }
    case 'ahead': {
      const found = placesBefore(node.node, text.everywhere, text)
      return ends & (node.negative ? ~found : found)
    }
    case 'start':
      return ends & text.start
    case 'end':
      return ends & 1n
  }
}
