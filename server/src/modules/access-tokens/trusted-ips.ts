import { badRequest } from '../../lib/app-error.ts'
import { type Cidr, matcher, parseCidr } from '../../lib/cidr.ts'

/** An entry as it is kept and shown: the address as it was written, host bits and all; no prefix for a single one. */
export type TrustedIp = { type: 'ipv4' | 'ipv6'; prefix?: number | undefined; ipAddress: string }

/** Throws a bad request unless every text is an address or a CIDR range. */
export const parseTrustedIps = (texts: readonly string[]): TrustedIp[] =>
  texts.map((text) => {
    const cidr = parseCidr(text)
    if (!cidr) throw badRequest(`'${text}' is not an IPv4 or IPv6 address, nor a CIDR range`)
    const { family, address, prefix } = cidr
    return { type: family, ...(prefix !== undefined && { prefix }), ipAddress: address }
  })

/** Whether an address is inside one of the ranges. */
export const trustedIpMatcher = (trusted: readonly TrustedIp[]): ((ip: string) => boolean) => {
  if (!isRestricted(trusted)) return isAnyAddress
  return matcher(trusted.map(({ type, prefix, ipAddress }): Cidr => ({ family: type, address: ipAddress, prefix })))
}

/** Most lists are open, so they share one. */
const isAnyAddress = matcher([
  { family: 'ipv4', address: '0.0.0.0', prefix: 0 },
  { family: 'ipv6', address: '::', prefix: 0 },
])

/** False when every address is trusted. */
export const isRestricted = (trusted: readonly TrustedIp[]): boolean =>
  !['ipv4', 'ipv6'].every((family) => trusted.some(({ type, prefix }) => type === family && prefix === 0))
