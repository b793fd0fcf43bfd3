/** The plan of the house as rules over source files: who may import whom, who may write which table. */
export type SourceFile = { path: string; text: string }

/** Left to right: a layer may import itself and what stands before it. Modules without a folder yet are listed already. */
const LAYERS = [
  'lib',
  'platform',
  ...[
    'permissions',
    'audit',
    'licenses',
    'organizations',
    'users',
    'identities',
    'access-tokens',
    'sessions',
    'universal-auth',
    'token-auth',
    'oidc-auth',
    'groups',
    'projects',
    'environments',
    'roles',
    'memberships',
    'privileges',
    'secrets',
    'project-lifecycle',
    'pki',
    'project-events',
    'instance',
  ].map((module) => `modules/${module}`),
  'config.ts',
  'foundation.ts',
  'services',
  'services.ts',
  'authentication.ts',
  'probes.ts',
  'routes.ts',
  'app.ts',
  'commands',
  'main.ts',
]

const IMPORTS_MAX = 15
/** Where everything is wired by hand, in one visible place each. */
const WIRING = ['services/secrets.ts', 'routes.ts', 'app.ts']
const VAGUE_NAMES = /(^|\/)(utils?|helpers?|common|types|constants|index)(\.ts|\/)/

export const findBreaches = (files: SourceFile[]): string[] => [
  ...files.flatMap(breachesOfFile),
  ...breachesOfOwnership(files),
  ...cycles(files),
]

const breachesOfFile = (file: SourceFile): string[] => {
  const breaches = importsOf(file).flatMap((target) => breachOfImport(file.path, target))
  const imports = countImports(file)
  if (imports > IMPORTS_MAX && !WIRING.includes(file.path)) {
    breaches.push(`${file.path} has ${imports} imports, ${IMPORTS_MAX} are the most`)
  }
  if (VAGUE_NAMES.test(file.path)) breaches.push(`${file.path} has a name that says nothing`)
  if (layerOf(file.path) === -1) breaches.push(`${file.path} stands in no layer`)
  return breaches
}

/** Of what runs: a type that is named couples nothing. */
const countImports = ({ text }: SourceFile): number => [...text.matchAll(/^import (?!type )/gm)].length

/** Paths from the source root for our own files, package names for others. */
export const importsOf = ({ path, text }: SourceFile): string[] =>
  [...text.matchAll(/^\s*(?:import|export)\s[^'"]*?from\s+'([^']+)'|^\s*import\s+'([^']+)'|\bimport\('([^']+)'\)/gm)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .map((target) => (target.startsWith('.') ? resolve(path, target) : target))

const resolve = (from: string, target: string): string => {
  const parts = from.split('/').slice(0, -1)
  for (const part of target.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}

const layerOf = (path: string): number => LAYERS.findIndex((layer) => path === layer || path.startsWith(`${layer}/`))
const kindOf = (path: string): string =>
  /\.(legacy-routes|routes|schemas|service|store)\.ts$/.exec(path)?.[1] ?? 'plain'
const moduleOf = (path: string): string => /^modules\/[^/]+/.exec(path)?.[0] ?? path.split('/')[0] ?? ''

const breachOfImport = (from: string, target: string): string[] => {
  const own = target.endsWith('.ts')
  const breach = (reason: string) => [`${from} imports ${target}: ${reason}`]
  if (own && layerOf(target) > layerOf(from)) return breach('it stands to its right')
  switch (kindOf(from)) {
    case 'routes':
    case 'legacy-routes':
      if (kindOf(target) === 'store') return breach('routes call services, never stores')
      if (kindOf(target) === 'service' && moduleOf(target) !== moduleOf(from))
        return breach('routes call their own service')
      break
    case 'service':
      if (target === 'fastify' || target.startsWith('@fastify/') || target.startsWith('platform/http/'))
        return breach('services know nothing of HTTP')
      if (kindOf(target) === 'routes' || kindOf(target) === 'legacy-routes')
        return breach('services know nothing of routes')
      if (kindOf(target) === 'store' && moduleOf(target) !== moduleOf(from))
        return breach("services use no other module's store")
      break
    case 'store':
      if (['routes', 'legacy-routes', 'service'].includes(kindOf(target)))
        return breach('stores import nothing above them')
      if (target === 'fastify' || target.startsWith('platform/http/')) return breach('stores know nothing of HTTP')
      break
    case 'schemas':
      if (['routes', 'legacy-routes', 'service', 'store'].includes(kindOf(target)))
        return breach('schemas are shapes only')
      break
  }
  return []
}

const WRITES = [
  /\b(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*'([A-Za-z]+)(?: as [^']*)?'/g,
  /\b(?:insert into|delete from|merge into)\s+([a-z_]+)/gi,
  /\bupdate\s+([a-z_]+)\s+(?:as\s+\w+\s+|[a-z]\s+)?set\b/gi,
]

const tablesWritten = (text: string): string[] =>
  WRITES.flatMap((pattern) => [...text.matchAll(pattern)].map(([, table = '']) => snake(table)))

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const breachesOfOwnership = (files: SourceFile[]): string[] => {
  const writers = new Map<string, Set<string>>()
  for (const { path, text } of files) {
    for (const table of tablesWritten(text)) writers.set(table, (writers.get(table) ?? new Set()).add(writerOf(path)))
  }
  return [...writers]
    .filter(([, owners]) => owners.size > 1)
    .map(([table, owners]) => `Table ${table} is written by ${[...owners].sort().join(' and ')}`)
}

/** A module, or a folder of the platform. */
const writerOf = (path: string): string =>
  path.startsWith('platform/') ? path.split('/').slice(0, 2).join('/') : moduleOf(path)

const cycles = (files: SourceFile[]): string[] => {
  const graph = new Map(files.map((file) => [file.path, importsOf(file).filter((target) => target.endsWith('.ts'))]))
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: string[]): void => {
    if (trail.includes(path)) found.push(`Import cycle: ${[...trail.slice(trail.indexOf(path)), path].join(' → ')}`)
    else if (!done.has(path)) for (const target of graph.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return found
}
