import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestSecrets } from '../../../test/test-secrets.ts'
import { startTestServer } from '../../../test/test-server.ts'

const server = await startTestServer()
const secrets = await TestSecrets.open(server, await server.bootstrap())
const COUNT = 6
const TOOK_MS_MAX = 4_000

test('secrets that refer to each other in a circle get other names at once, without waiting for each other', async () => {
  const numbers = Array.from({ length: COUNT }, (_, number) => number)
  for (const number of numbers) await secrets.create(`C${number}`, `\${dev.C${(number + 1) % COUNT}}`)
  const since = performance.now()
  const answers = await Promise.all(
    numbers.map((number) => secrets.update(`C${number}`, { newSecretName: `NEW${number}` })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    numbers.map(() => 200),
  )
  assert.ok(performance.now() - since < TOOK_MS_MAX)
  const values = await secrets.values({ expandSecretReferences: 'false' })
  for (const number of numbers) assert.equal(values[`NEW${number}`], `\${dev.NEW${(number + 1) % COUNT}}`)
})
