import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { SseParser } from './sse-parser.ts'

const parse = (...pieces: string[]) => {
  const parser = new SseParser()
  return pieces.flatMap((piece) => parser.push(piece))
}

const STREAM =
  ': a comment\nevent: ping\n\nid: 1\nevent: secret:create\ndata: {"a":1}\n\ndata:first\ndata: second\r\n\r\nretry: 5\r\revent: error\rdata:\r\r'
const MESSAGES = [
  { event: 'ping', data: undefined },
  { event: 'secret:create', data: '{"a":1}' },
  { event: 'message', data: 'first\nsecond' },
  { event: 'error', data: '' },
]

describe('a stream of server-sent events', () => {
  test('is taken apart, whatever its line ends', () => assert.deepEqual(parse(STREAM), MESSAGES))

  test('is the same in whatever pieces it comes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(STREAM.length), { maxLength: 30 }), (cuts) => {
        const at = [0, ...cuts.sort((one, other) => one - other), STREAM.length]
        const pieces = at.slice(1).map((end, index) => STREAM.slice(at[index], end))
        assert.deepEqual(parse(...pieces), MESSAGES)
      }),
    )
  })

  test('gives nothing before a message is complete', () => {
    assert.deepEqual(parse('event: secret:create\ndata: {}\n'), [])
  })

  test('is refused when a line or a message has no end', () => {
    assert.throws(() => parse(`data: ${'x'.repeat(1_100_000)}`))
    assert.throws(() => parse(...Array<string>(1_100).fill(`data: ${'x'.repeat(1_000)}\n`)))
  })
})
