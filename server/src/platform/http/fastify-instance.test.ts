import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { pino } from 'pino'
import { createFastify } from './fastify-instance.ts'

test('the schema compilers of Fastify, which nobody asks and which weigh megabytes, are not loaded', async () => {
  const app = createFastify({ logger: pino({ level: 'silent' }), onUnroutable: () => undefined })
  await app.ready()
  const loaded = Object.keys(createRequire(import.meta.url).cache)
  assert.ok(loaded.some((file) => file.includes('/fastify/lib/')))
  assert.deepEqual(
    loaded.filter((file) =>
      /\/node_modules\/(ajv|fast-json-stringify)\/(lib|dist)\/(core|ajv|ref-resolver)/.test(file),
    ),
    [],
  )
  await app.close()
})
