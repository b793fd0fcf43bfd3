import picomatch from 'picomatch'
import { matchesLinear, parseLinearRegex } from './linear-regex.ts'

/** Matches the patterns of picomatch with its defaults. Never throws, and never takes long. */
export type Glob = (value: string) => boolean

type GlobOptions = {
  /** As in bash: `*` matches `/` like any other character. For texts that are no paths. */
  crossesSlashes?: boolean
}

/** Stands in a pattern for text that is no pattern: see `compileGlob`. */
export const HOLE = '\uE000'

const PATTERN_CHARACTERS_MAX = 1024
/** More than anyone writes by hand; what is beyond takes long to compile. */
const WILDCARDS_MAX = 100
const DEPTH_MAX = 8
const CACHED_GLOBS_MAX = 1000
/** About a tenth of a millisecond of backtracking; beyond it the linear engine is the faster one. */
const BACKTRACKING_STEPS_MAX = 100_000
/** What picomatch returns for a pattern it cannot turn into an expression. */
const IMPOSSIBLE = '$^'

const cache = new Map<string, Glob | undefined>()

/**
 * Undefined when the pattern is not a glob. Each HOLE in the pattern is filled, in order, with one of `fillings`, whose
 * characters stand for themselves whatever they are.
 */
export const compileGlob = (
  pattern: string,
  fillings: readonly string[] = [],
  { crossesSlashes = false }: GlobOptions = {},
): Glob | undefined => {
  const length = fillings.reduce((total, filling) => total + filling.length, pattern.length)
  if (length === 0 || length > PATTERN_CHARACTERS_MAX) return undefined
  const key = JSON.stringify([crossesSlashes, pattern, ...fillings])
  const known = cache.get(key)
  if (known || cache.has(key)) return known

  const glob = compile(pattern, fillings, crossesSlashes)
  for (const oldest of cache.keys()) {
    if (cache.size < CACHED_GLOBS_MAX) break
    cache.delete(oldest)
  }
  cache.set(key, glob)
  return glob
}

const compile = (pattern: string, fillings: readonly string[], crossesSlashes: boolean): Glob | undefined => {
  const source = isTooComplex(pattern) ? undefined : sourceOf(pattern, fillings, crossesSlashes)
  const linear = source === undefined ? undefined : parseLinearRegex(source)
  if (source === undefined || !linear) return undefined

  const native = new RegExp(source)
  const { prefix, effort } = linear
  const nativeLengthMax = (BACKTRACKING_STEPS_MAX / (effort.branches * source.length)) ** (1 / effort.repeats)
  return (value) => {
    // As picomatch: nothing matches an empty text, and a pattern matches its own.
    if (value === '') return false
    if (value === pattern && fillings.length === 0) return true
    if (!value.startsWith(prefix)) return false
    return value.length <= nativeLengthMax ? native.test(value) : matchesLinear(linear, value)
  }
}

const isTooComplex = (pattern: string): boolean => {
  let wildcards = 0
  let depth = 0
  for (const character of pattern) {
    if ('*[{('.includes(character)) wildcards++
    if ('{('.includes(character)) depth++
    if (')}'.includes(character)) depth--
    if (wildcards > WILDCARDS_MAX || depth > DEPTH_MAX) return true
  }
  return false
}

/** The regular expression for a pattern; undefined when there is none. */
const sourceOf = (pattern: string, fillings: readonly string[], crossesSlashes: boolean): string | undefined => {
  // With its fast paths picomatch may put a backslash before a hole; without them it leaves the hole as it is.
  const options = {
    strictSlashes: false,
    windows: false,
    fastpaths: fillings.length === 0,
    ...(crossesSlashes && { bash: true }),
  }
  try {
    const { source } = picomatch.makeRe(pattern, options)
    const filled = source === IMPOSSIBLE ? undefined : fill(source, fillings)
    // A filling can make a range of characters run backwards.
    if (filled !== undefined) new RegExp(filled)
    return filled
  } catch {
    // The only question here is whether the pattern can be used.
    return undefined
  }
}

/**
 * Undefined unless the expression has exactly one hole for each filling: picomatch doubles or drops parts of odd patterns.
 * A backslash before a hole would escape the filling's own escape.
 */
const fill = (source: string, fillings: readonly string[]): string | undefined => {
  const parts = source.split(HOLE)
  if (parts.length !== fillings.length + 1 || source.includes(`\\${HOLE}`)) return undefined
  return String.raw({ raw: parts }, ...fillings.map(escapeRegex))
}

const escapeRegex = (text: string): string => text.replace(/[^a-zA-Z0-9]/g, '\\$&')
