import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { errorChunk, newsOf, PING, projectEventOf } from './project-event.ts'

const PLACE = { organizationId: 'o', projectId: 'p', environment: 'dev', path: '/app' }
const LINE_BYTES_MAX = 60_000

const eventOf = (kind: string, body: object) => {
  const news = newsOf({ scope: 'folder:x', kind, body: { ...PLACE, ...body } })
  assert.ok(news)
  let id = 100
  return projectEventOf(news, () => ++id)
}

describe('the bytes of an event', () => {
  test('of a secret are one chunk with id, name and data', () => {
    const { chunks, bytes } = eventOf('secret-created', { keys: ['A', 'B'] })
    const message =
      'id: 101\nevent: secret:create\ndata: {"projectType":"secret-manager","data":{"eventType":"secret:create","payload":[{"environment":"dev","secretPath":"/app","secretKey":"A"},{"environment":"dev","secretPath":"/app","secretKey":"B"}]}}\n\n'
    assert.deepEqual(chunks.map(String), [`${message.length.toString(16)}\r\n${message}\r\n`])
    assert.equal(bytes, chunks[0]?.length)
  })

  test('of an import hold an object and no key', () => {
    const [chunk] = eventOf('import-mutated', {}).chunks
    assert.ok(
      String(chunk).includes(
        'event: secret:import-mutation\ndata: {"projectType":"secret-manager","data":{"eventType":"secret:import-mutation","payload":{"environment":"dev","secretPath":"/app"}}}\n\n',
      ),
    )
  })

  test('of a ping and of an error have no id', () => {
    assert.equal(String(PING), 'd\r\nevent: ping\n\n\r\n')
    assert.equal(String(errorChunk('Gone')), '27\r\nevent: error\ndata: {"message":"Gone"}\n\n\r\n')
  })

  test('count what they are in UTF-8', () => {
    const [chunk = Buffer.alloc(0)] = eventOf('secret-updated', { keys: ['Ä'] }).chunks
    const [size = ''] = String(chunk).split('\r\n', 1)
    assert.equal(parseInt(size, 16), chunk.length - size.length - 4)
  })
})

test('a change of many keys is told in several messages of short lines, with every key once and ids that grow', () => {
  const keys = Array.from({ length: 100 }, (_, index) => `${index}${'\u0001'.repeat(400)}`)
  const { chunks, lastId } = eventOf('secret-deleted', { keys, path: `/${'x'.repeat(1_000)}` })
  assert.ok(chunks.length > 1)
  assert.equal(lastId, 100 + chunks.length)
  const lines = chunks.flatMap((chunk) =>
    String(chunk)
      .split('\n')
      .filter((line) => line.startsWith('data: ')),
  )
  for (const line of lines) assert.ok(Buffer.byteLength(line) < LINE_BYTES_MAX)
  const told = lines.flatMap((line) => {
    const { data } = JSON.parse(line.slice('data: '.length)) as { data: { payload: { secretKey: string }[] } }
    return data.payload.map(({ secretKey }) => secretKey)
  })
  assert.deepEqual(told, keys)
})

test('changes of other kinds are no events', () => {
  assert.equal(newsOf({ scope: 'folder:x', kind: 'personal-secret' }), undefined)
  assert.equal(newsOf({ scope: 'actor:x', kind: 'identity-deleted' }), undefined)
})
