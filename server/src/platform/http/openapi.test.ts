import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { z } from 'zod'
import { httpApp } from '../../../test/http-app.ts'
import { endpoints } from './endpoint.ts'
import { buildOpenApi } from './openapi.ts'
import type { Routes } from './route.ts'
import {
  Bytes,
  emptyAsAbsent,
  Id,
  Instant,
  NullableTimestamp,
  optionalBody,
  QueryFlag,
  Timestamp,
} from './wire-types.ts'

const Thing = z.object({ id: z.string(), createdAt: Timestamp, endsAt: NullableTimestamp }).meta({ id: 'Thing' })
const Period = z.object({ from: Instant, days: z.number().int().default(1) }).meta({ id: 'Period' })
const endpoint = endpoints({ tag: 'Things', auth: ['user', 'identity'] })
const response = { 200: z.object({ thing: Thing }) }

const routes: Routes = (app) => {
  app.post(
    '/things',
    endpoint('createThing', {
      summary: 'Create a thing',
      body: z.strictObject({ name: Id, period: Period }),
      response,
    }),
    () => ({ thing: { id: 'x', createdAt: new Date(), endsAt: null } }),
  )
  app.get(
    '/things/:thingId/parts/:part',
    endpoint('getPart', {
      params: z.object({ thingId: Id.describe('The thing'), part: z.enum(['a', 'b']) }),
      querystring: z.object({ deep: QueryFlag.default(true).describe('All of it'), cursor: emptyAsAbsent(z.string()) }),
      response: { 200: z.object({ things: z.array(Thing), period: Period }) },
    }),
    () => ({ things: [], period: { from: new Date(), days: 1 } }),
  )
  app.delete(
    '/things/:thingId',
    endpoint('deleteThing', {
      body: optionalBody(z.object({ force: z.boolean().optional() })),
      legacy: true,
      response,
    }),
    () => {
      throw new Error('never called')
    },
  )
  app.post(
    '/login',
    endpoint('login', { auth: 'public', acceptsForm: true, body: z.object({ id: z.string() }), response }),
    () => {
      throw new Error('never called')
    },
  )
  app.get(
    '/list',
    endpoint('getList', { auth: 'public', produces: 'application/pkix-crl', response: { 200: Bytes } }),
    () => Buffer.of(1),
  )
  app.get('/hidden', endpoint('getHidden', { hidden: true, response }), () => {
    throw new Error('never called')
  })
}

const app = await httpApp(routes)
after(() => app.close())
const info = { title: 'Test', version: '1.0.0' }
const document = JSON.parse(JSON.stringify(buildOpenApi(app, info)))

describe('the document', () => {
  test('is OpenAPI 3.1 and the same each time', () => {
    assert.equal(document.openapi, '3.1.0')
    assert.deepEqual(document.info, info)
    assert.deepEqual(document.tags, [{ name: 'Things' }])
    assert.equal(JSON.stringify(buildOpenApi(app, info)), JSON.stringify(document))
  })

  test('holds every route that is not hidden, in order, and no HEAD', () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(Object(item)).map((method) => `${method} ${path}`),
    )
    assert.deepEqual(operations, [
      'get /list',
      'post /login',
      'post /things',
      'delete /things/{thingId}',
      'get /things/{thingId}/parts/{part}',
    ])
  })

  test('refers only to what it defines', () => {
    const references = JSON.stringify(document).match(/#\/[^"]+/g) ?? []
    assert.ok(references.length > 20)
    for (const reference of references) {
      let target: unknown = document
      for (const key of reference.slice(2).split('/')) target = Reflect.get(Object(target), key)
      assert.ok(target, reference)
    }
  })
})

describe('an operation', () => {
  const create = document.paths['/things'].post
  const part = document.paths['/things/{thingId}/parts/{part}'].get

  test('has its name, tag and summary', () => {
    assert.deepEqual([create.operationId, create.tags, create.summary], ['createThing', ['Things'], 'Create a thing'])
  })

  test('describes its parameters', () => {
    assert.deepEqual(part.parameters, [
      {
        name: 'thingId',
        in: 'path',
        required: true,
        description: 'The thing',
        schema: { type: 'string', minLength: 1, maxLength: 100 },
      },
      { name: 'part', in: 'path', required: true, schema: { type: 'string', enum: ['a', 'b'] } },
      { name: 'deep', in: 'query', required: false, description: 'All of it', schema: { type: 'string' } },
      { name: 'cursor', in: 'query', required: false, schema: { type: 'string' } },
    ])
  })

  test('describes its body, closed where it is closed', () => {
    assert.equal(create.requestBody.required, true)
    assert.deepEqual(create.requestBody.content['application/json'].schema, {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 100 },
        period: { $ref: '#/components/schemas/Period' },
      },
      required: ['name', 'period'],
      additionalProperties: false,
    })
    assert.equal(document.paths['/things/{thingId}'].delete.requestBody.required, false)
  })

  test('names its schemas once, and twice where what is sent differs from what is answered', () => {
    assert.deepEqual(create.responses['200'].content['application/json'].schema.properties.thing, {
      $ref: '#/components/schemas/Thing',
    })
    assert.deepEqual(document.components.schemas.Thing.properties, {
      id: { type: 'string' },
      createdAt: { type: 'string', format: 'date-time' },
      endsAt: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
    })
    assert.deepEqual(Object.keys(document.components.schemas), ['Error', 'Period', 'PeriodOutput', 'Thing'])
    assert.deepEqual(document.components.schemas.Period.required, ['from'])
    assert.deepEqual(document.components.schemas.PeriodOutput.required, ['from', 'days'])
  })

  test('says who may call it and how it can fail', () => {
    assert.deepEqual(create.security, [{ bearerAuth: [] }])
    assert.deepEqual(Object.keys(create.responses), ['200', '400', '401', '403', '404', '422', '429', '500', '503'])
    const login = document.paths['/login'].post
    assert.deepEqual(login.security, [])
    assert.deepEqual(Object.keys(login.responses), ['200', '400', '404', '422', '429', '500', '503'])
  })

  test('says which media types it takes and gives', () => {
    assert.deepEqual(Object.keys(document.paths['/login'].post.requestBody.content), [
      'application/json',
      'application/x-www-form-urlencoded',
    ])
    assert.deepEqual(document.paths['/list'].get.responses['200'].content, {
      'application/pkix-crl': { schema: { type: 'string', format: 'binary' } },
    })
  })

  test('is deprecated when it is an older vocabulary', () => {
    assert.equal(document.paths['/things/{thingId}'].delete.deprecated, true)
    assert.equal(create.deprecated, undefined)
  })
})
