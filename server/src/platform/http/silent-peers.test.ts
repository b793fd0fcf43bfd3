import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { describe, test } from 'node:test'
import { peerOf, silentIn, SilentPeers } from './silent-peers.ts'

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode'
const line = (remote: string, retransmissions: string, probes = 0) =>
  `   1: 0100007F:1F90 ${remote} 01 00000012:00000000 01:00000014 ${retransmissions}     0        ${probes} 12345 2 0000000000000000 20 4 30 10 -1`

describe('the table of connections', () => {
  test('names those whose bytes are sent again and again, however it writes their address', () => {
    const table = [
      HEAD,
      line('0100007F:C350', '00000003'),
      line('0200000A:C351', '00000001'),
      line('0000000000000000FFFF00000300000A:C352', '0000000A'),
      line('0400000A:C354', '00000000', 5),
      line('B80D0120000000000000000001000000:C353', '00000002'),
      '',
    ].join('\n')
    assert.deepEqual(silentIn(table), ['127.0.0.1 50000', '10.0.0.3 50002', '10.0.0.4 50004', '2001:db8::1 50003'])
  })

  test('says nothing where there is none', () => {
    assert.deepEqual(silentIn(''), [])
  })
})

test('a peer is given up when it has been silent at every look for half a minute', () => {
  let now = 0
  const peers = new SilentPeers(() => now)
  const looks: [ms: number, silent: string[], given: string[]][] = [
    [0, ['a', 'b'], []],
    [10_000, ['a'], []],
    [20_000, ['a', 'b'], []],
    [30_000, ['a', 'b'], ['a']],
    [50_000, ['b'], ['b']],
    [60_000, [], []],
    [70_000, ['a'], []],
  ]
  for (const [ms, silent, given] of looks) {
    now = ms
    assert.deepEqual([...peers.judge(silent)], given)
  }
})

test('a connection that is answered is not silent', async () => {
  const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const socket = connect(port, '127.0.0.1').resume()
  await once(socket, 'connect')
  assert.equal(peerOf(socket), `127.0.0.1 ${port}`)
  assert.ok(!(await new SilentPeers().look()).has(peerOf(socket)))
  socket.destroy()
  server.close()
})
