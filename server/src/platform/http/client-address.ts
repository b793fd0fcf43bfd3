import type { IncomingMessage } from 'node:http'
import { canonicalIp, matcher, parseCidr } from '../../lib/cidr.ts'

const HOPS_MAX = 50

/** Finds the address of the client. `X-Forwarded-For` counts only as far as trusted proxies vouch for it. */
export const clientAddresses = (trustedProxyCidrs: readonly string[]): ((request: IncomingMessage) => string) => {
  if (trustedProxyCidrs.length === 0) return socketAddress

  const isTrusted = matcher(trustedProxyCidrs.map(strictCidr))
  return (request) => {
    const peer = socketAddress(request)
    const forwarded = request.headers['x-forwarded-for']
    if (!forwarded || !isTrusted(peer)) return peer
    return lastUntrustedHop(peer, String(forwarded), isTrusted)
  }
}

const lastUntrustedHop = (peer: string, forwarded: string, isTrusted: (ip: string) => boolean): string => {
  let address = peer
  for (const hop of forwarded.split(',').slice(-HOPS_MAX).reverse()) {
    const ip = canonicalIp(hop.trim())
    // What no proxy of ours would write ends the walk: nothing to its left can be believed.
    if (!ip) return address
    address = ip
    if (!isTrusted(ip)) return address
  }
  return address
}

const socketAddress = (request: IncomingMessage): string => {
  const address = request.socket.remoteAddress ?? ''
  if (!address.includes(':')) return address
  const [withoutZone = ''] = address.split('%')
  return canonicalIp(withoutZone) ?? address
}

const strictCidr = (text: string) => {
  const cidr = parseCidr(text)
  if (!cidr) throw new TypeError(`'${text}' is not an address or CIDR range`)
  return cidr
}
