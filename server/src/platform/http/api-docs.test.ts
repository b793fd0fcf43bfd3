import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { httpApp } from '../../../test/http-app.ts'
import { apiDocs } from './api-docs.ts'
import { buildOpenApi } from './openapi.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'api-docs-'))
const documentFile = path.join(folder, 'openapi.json')
await writeFile(documentFile, '{"openapi":"3.1.0"}')
const app = await httpApp(apiDocs({ path: '/api/docs', documentFile, title: 'Test API' }))
after(async () => {
  await app.close()
  await rm(folder, { recursive: true })
})

describe('the documentation', () => {
  test('has the document, with a tag', async () => {
    const answer = await app.inject('/api/docs/json')
    assert.deepEqual(answer.json(), { openapi: '3.1.0' })
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    const again = await app.inject({ url: '/api/docs/json', headers: { 'if-none-match': String(answer.headers.etag) } })
    assert.equal(again.statusCode, 304)
  })

  test('shows the document as it is on disk now', async () => {
    await writeFile(documentFile, '{"openapi":"3.1.1"}')
    assert.deepEqual((await app.inject('/api/docs/json')).json(), { openapi: '3.1.1' })
  })

  for (const url of ['/api/docs', '/api/docs/']) {
    test(`has a page at ${url} that loads nothing from elsewhere`, async () => {
      const answer = await app.inject(url)
      assert.equal(answer.statusCode, 200)
      assert.match(String(answer.headers['content-type']), /^text\/html/)
      assert.match(answer.body, /<title>Test API<\/title>/)
      assert.doesNotMatch(answer.body, /https?:\/\/|<script>|style=/)
      const policy = String(answer.headers['content-security-policy'])
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/)
      assert.doesNotMatch(policy, /unsafe|https?:|\*/)
    })
  }

  test('has all that its page names, to be kept for a year', async () => {
    const page = (await app.inject('/api/docs')).body
    const urls = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, url = '']) => url)
    assert.equal(urls.length, 3)
    for (const url of urls) {
      const answer = await app.inject(url)
      assert.equal(answer.statusCode, 200)
      assert.match(String(answer.headers['content-type']), url.includes('.css') ? /^text\/css/ : /^text\/javascript/)
      if (url.includes('/assets/')) assert.match(String(answer.headers['cache-control']), /immutable/)
    }
  })

  test('sends the document to no validator', async () => {
    assert.match((await app.inject('/api/docs/start.js')).body, /validatorUrl: null/)
  })

  test('gives no other file', async () => {
    for (const file of ['package.json', '..%2Fpackage.json', '..%2F..%2F..%2Fpackage.json', 'swagger-ui.js']) {
      assert.ok([404, 422].includes((await app.inject(`/api/docs/assets/${file}`)).statusCode))
    }
  })

  test('leaves itself out', () => {
    assert.deepEqual(buildOpenApi(app, { title: 'Test', version: '1' })['paths'], {})
  })
})
