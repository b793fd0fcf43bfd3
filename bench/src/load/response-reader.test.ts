import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ResponseReader } from './response-reader.ts'

const bytes = (text: string) => Buffer.from(text)

describe('the reader of answers', () => {
  test('reads one with a length, and then the next', () => {
    const reader = new ResponseReader()
    const answer = bytes('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')
    for (let turn = 0; turn < 2; turn++)
      assert.deepEqual(reader.push(answer), { status: 200, bytes: 5, closes: false }, `turn ${turn}`)
  })

  test('waits for the rest, wherever an answer is cut', () => {
    const answer = bytes('HTTP/1.1 201 Created\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}')
    for (let cut = 1; cut < answer.length; cut++) {
      const reader = new ResponseReader()
      assert.equal(reader.push(answer.subarray(0, cut)), undefined, `cut at ${cut}`)
      assert.deepEqual(reader.push(answer.subarray(cut)), { status: 201, bytes: 2, closes: true }, `cut at ${cut}`)
    }
  })

  test('reads one in chunks to its last chunk', () => {
    const reader = new ResponseReader()
    assert.equal(reader.push(bytes('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n')), undefined)
    assert.equal(reader.push(bytes('0\r\n\r\n'))?.status, 200)
  })

  test('expects no body where there is none', () => {
    const answer = bytes('HTTP/1.1 304 Not Modified\r\netag: "a"\r\n\r\n')
    assert.deepEqual(new ResponseReader().push(answer), { status: 304, bytes: 0, closes: false })
  })

  test('refuses what is not HTTP', () => {
    assert.throws(() => new ResponseReader().push(bytes('220 mail ready\r\n\r\n')), /not HTTP/)
  })
})
