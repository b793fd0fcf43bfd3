import ipaddr from 'ipaddr.js'
import { canonicalIp, matcher, parseCidr } from '../../lib/cidr.ts'

/** Whether an address may be connected to: a public one, or one that the operator has allowed. */
export type AddressPolicy = (address: string) => boolean

const matcherOf = (cidrs: readonly string[]) => matcher(cidrs.flatMap((text) => parseCidr(text) ?? []))

/** RFC 4291 2.4: the only part of IPv6 that has been given out. */
const isGlobalIpv6 = matcherOf(['2000::/3'])
/** Azure answers virtual machines here, with what only they should know, on an address that looks public. */
const isCloudService = matcherOf(['168.63.129.16'])

export const addressPolicy = (allowedCidrs: readonly string[]): AddressPolicy => {
  const isAllowed = matcherOf(allowedCidrs)
  return (address) => isAllowed(address) || isPublic(address)
}

const isPublic = (text: string): boolean => {
  const address = canonicalIp(text)
  if (address === undefined || isCloudService(address)) return false
  if (address.includes(':') && !isGlobalIpv6(address)) return false
  // Everything special has a name of its own: loopback, private, link-local, multicast, tunnels, reserved …
  return ipaddr.parse(address).range() === 'unicast'
}
