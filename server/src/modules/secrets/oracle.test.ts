import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NaiveSecrets, nameOf, type Outcome, type Rule, type Spot } from '../../../test/naive-secrets.ts'
import { randomFrom, seedOf } from '../../../test/random.ts'
import { NewsReader } from '../../../test/test-news.ts'
import { startSecretServer } from '../../../test/test-secrets.ts'

const OPERATIONS = 1_000
const READERS = 6
const SEED = seedOf(7)

const { server, token, db, secrets, projectId } = await startSecretServer()

const KEYS = ['A', 'B', 'C', 'D', 'E']
const SPOTS: Spot[] = [
  { environment: 'dev', path: '/' },
  { environment: 'dev', path: '/a' },
  { environment: 'dev', path: '/a/b' },
  { environment: 'dev', path: '/c' },
  { environment: 'prod', path: '/' },
  { environment: 'prod', path: '/a' },
]

const random = randomFrom(SEED)
const pick = <T>(items: readonly T[]): T => {
  const item = items[random(items.length)]
  if (item === undefined) throw new Error('Nothing to pick from')
  return item
}

const reference = (): string => {
  const { environment, path } = pick(SPOTS)
  const steps = path.split('/').filter((step) => step !== '')
  return random(3) === 0 ? `\${${pick(KEYS)}}` : `\${${[environment, ...steps, pick(KEYS)].join('.')}}`
}
const value = (): string => {
  const plain = `v${random(1_000)}`
  return random(2) === 0 ? plain : `${plain} ${reference()}${random(3) === 0 ? reference() : ''}`
}
const rule = (isAllowed: boolean): Rule => ({
  isAllowed,
  actions: random(3) === 0 ? ['readValue'] : ['describeSecret', 'readValue'],
  ...(random(3) === 0 && { environment: pick(SPOTS).environment }),
  ...(random(3) === 0 && { path: pick(SPOTS).path }),
  ...(random(2) === 0 && { keys: [pick(KEYS), pick(KEYS)] }),
})
const rules = (): Rule[] => [
  { isAllowed: true, actions: ['describeSecret', ...(random(4) === 0 ? [] : (['readValue'] as const))] },
  ...Array.from({ length: random(3) }, () => rule(random(3) === 0)),
]
const toPermission = ({ isAllowed, actions, environment, path, keys }: Rule) => ({
  subject: 'secrets',
  action: [...actions],
  inverted: !isAllowed,
  conditions: {
    ...(environment !== undefined && { environment: { $eq: environment } }),
    ...(path !== undefined && { secretPath: { $eq: path } }),
    ...(keys && { secretName: { $in: [...keys] } }),
  },
})

const model = new NaiveSecrets(SPOTS)
const news = new NewsReader(db, projectId)
const importIds = new Map<string, string>()
const place = ({ environment, path }: Spot) => ({ environment, secretPath: path })

/** What was told, one key at a time, without those who were told of themselves already. */
const heard = async (): Promise<string[]> => {
  const rows = (await news.next()).map((text) => text.split(' '))
  const changed = new Set(rows.filter((words) => words.length > 3).map((words) => `${words[1]} ${words[2]}`))
  return rows.flatMap(([kind, environment, path, ...keys]) => {
    const where = `${kind} ${environment} ${path}`
    if (keys.length > 0) return keys.map((key) => `${where} ${key}`)
    return changed.has(`${environment} ${path}`) ? [] : [where]
  })
}

type Step = { name: string; run: () => Promise<{ status: number; text: string }>; expected: Outcome }

const move = async (from: Spot, to: Spot, key: string, shouldOverwrite: boolean) => {
  const found = await secrets.get(key, { ...place(from), includeImports: 'false', expandSecretReferences: 'false' })
  if (found.status !== 200) return found
  const body = {
    projectId,
    sourceEnvironment: from.environment,
    sourceSecretPath: from.path,
    destinationEnvironment: to.environment,
    destinationSecretPath: to.path,
    secretIds: [found.body.secret.id],
    shouldOverwrite,
  }
  return server.post('/api/v4/secrets/move', body, { token })
}
const addImport = async (into: Spot, from: Spot) => {
  const body = { projectId, environment: into.environment, path: into.path, import: from }
  const answer = await server.post('/api/v2/secret-imports', body, { token })
  if (answer.status === 200) importIds.set(`${nameOf(into)} < ${nameOf(from)}`, answer.body.secretImport.id as string)
  return answer
}
const dropImport = (into: Spot, from: Spot) => {
  const id = importIds.get(`${nameOf(into)} < ${nameOf(from)}`) ?? ''
  const body = { projectId, environment: into.environment, path: into.path }
  return server.delete(`/api/v2/secret-imports/${id}`, { body, token })
}

const writeStep = (): Step => {
  const [spot, other, key, to, text, isForced] = [
    pick(SPOTS),
    pick(SPOTS),
    pick(KEYS),
    pick(KEYS),
    value(),
    random(2) === 0,
  ]
  const at = `${nameOf(spot)} ${key}`
  const [dropped] = model.importsOf(spot)
  switch (random(dropped ? 8 : 7)) {
    case 0:
    case 1:
      return {
        name: `create ${at} = ${text}`,
        run: () => secrets.create(key, text, place(spot)),
        expected: model.create(spot, key, text),
      }
    case 2:
      return {
        name: `update ${at} = ${text}`,
        run: () => secrets.update(key, { ...place(spot), secretValue: text }),
        expected: model.update(spot, key, text),
      }
    case 3:
      if (key === to) return writeStep()
      return {
        name: `rename ${at} to ${to}`,
        run: () => secrets.update(key, { ...place(spot), newSecretName: to }),
        expected: model.rename(spot, key, to),
      }
    case 4:
      if (nameOf(spot) === nameOf(other)) return writeStep()
      return {
        name: `move ${at} to ${nameOf(other)}${isForced ? ' by force' : ''}`,
        run: () => move(spot, other, key, isForced),
        expected: model.move(spot, other, key, isForced),
      }
    case 5:
      return {
        name: `delete ${at}`,
        run: () => secrets.remove(key, place(spot)),
        expected: model.delete(spot, key),
      }
    case 6:
      return {
        name: `import ${nameOf(other)} into ${nameOf(spot)}`,
        run: () => addImport(spot, other),
        expected: model.import(spot, other),
      }
    default:
      return {
        name: `drop the import of ${nameOf(dropped ?? spot)} from ${nameOf(spot)}`,
        run: () => dropImport(spot, dropped ?? spot),
        expected: model.dropImport(spot, dropped ?? spot),
      }
  }
}

type Reader = { rules: readonly Rule[]; token: string }
type Shown = { secretKey: string; secretValue: string }
const byKey = (shown: readonly Shown[]) => Object.fromEntries(shown.map((one) => [one.secretKey, one.secretValue]))

const compareRead = async ({ rules: held, token: as }: Reader, name: string): Promise<void> => {
  const [spot, key] = [pick(SPOTS), pick(KEYS)]
  if (random(2) === 0) {
    const { status, body } = await secrets.get(key, place(spot), as)
    const expected = model.read(held, spot, key)
    assert.deepEqual(status === 200 ? body.secret.secretValue : status, expected, `${name}: get ${nameOf(spot)} ${key}`)
    return
  }
  const { status, body } = await secrets.list(place(spot), as)
  const seen = status === 200 && {
    own: byKey(body.secrets as Shown[]),
    imports: (body.imports as { environment: string; secretPath: string; secrets: Shown[] }[]).map((block) => ({
      from: `${block.environment} ${block.secretPath}`,
      secrets: byKey(block.secrets),
    })),
  }
  assert.deepEqual(seen || status, model.list(held, spot), `${name}: list ${nameOf(spot)}`)
}

test(`${OPERATIONS} random operations do what a naive model does`, async () => {
  for (const { environment, path } of SPOTS.filter(({ path }) => path !== '/')) {
    const parent = path.slice(0, path.lastIndexOf('/')) || '/'
    await secrets.folder(path.slice(path.lastIndexOf('/') + 1), { environment, path: parent })
  }
  const readers: Reader[] = [{ rules: [{ isAllowed: true, actions: ['describeSecret', 'readValue'] }], token }]
  while (readers.length < READERS) {
    const held = rules()
    readers.push({ rules: held, token: await secrets.tokenAllowing(db, ...held.map(toPermission)) })
  }
  const log: string[] = []
  try {
    for (let number = 1; number <= OPERATIONS; number++) {
      if (random(2) === 0) {
        const reader = random(READERS)
        const one = readers[reader]
        if (one) await compareRead(one, `reader ${reader} ${JSON.stringify(one.rules)}`)
        continue
      }
      const { name, run, expected } = writeStep()
      log.push(name)
      const { status, text } = await run()
      assert.equal(status, expected.status, `${name}: ${text}`)
      assert.deepEqual((await heard()).sort(), [...expected.news].sort(), name)
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : ''
    throw new Error(`With TEST_SEED=${SEED}, after:\n${log.slice(-40).join('\n')}\n${why}`, { cause: error })
  }
})
