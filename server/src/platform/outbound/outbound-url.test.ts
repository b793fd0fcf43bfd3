import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OutboundError } from './outbound-error.ts'
import { hostOf, parseOutboundUrl } from './outbound-url.ts'

describe('a URL that someone typed in', () => {
  for (const text of [
    ...['', 'x', '//host', '/path', 'http://', 'http://[::1', 'http://a b/', 'https://999.1.1.1/'],
    ...['file:///etc/passwd', 'gopher://host/', 'ftp://host/', 'data:,x', 'javascript:1', 'unix:/run/x', 'ws://host/'],
    ...['http://user:pass@host/', 'http://user@host/', 'https://:pass@host/', 'https://u%40:@host'],
  ]) {
    test(`'${text}' is refused`, () => {
      assert.throws(
        () => parseOutboundUrl(text),
        (error) => error instanceof OutboundError && error.failure === 'refused',
      )
    })
  }

  for (const [text, host] of [
    ['https://Example.COM:8443/a?b#c', 'example.com'],
    ['HTTP://host', 'host'],
    ['http://[2606:4700::0001]/', '2606:4700::1'],
    ['http://0x7f000001/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://017700000001/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://１２７.0.0.1/', '127.0.0.1'],
  ] as const) {
    test(`'${text}' leads to ${host}`, () => {
      assert.equal(hostOf(parseOutboundUrl(text)), host)
    })
  }
})
