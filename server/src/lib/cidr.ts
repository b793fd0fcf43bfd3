import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** One rule of an IP list, as its author wrote it. Without a prefix it means that one address. */
export type Cidr = { family: 'ipv4' | 'ipv6'; address: string; prefix: number | undefined }

type Range = { words: readonly number[]; prefix: number }

const PREFIX = /^(?:0|[1-9]\d{0,2})$/
const MAPPED_PREFIX_BITS = 96

/** Strict: undefined for anything but a plain address with at most one decimal prefix. Host bits may be set. */
export const parseCidr = (text: string): Cidr | undefined => {
  const slash = text.indexOf('/')
  const address = slash === -1 ? text : text.slice(0, slash)
  const family = familyOf(address)
  if (!family) return undefined
  if (slash === -1) return { family, address, prefix: undefined }

  const prefixText = text.slice(slash + 1)
  const prefix = Number(prefixText)
  return PREFIX.test(prefixText) && prefix <= bitsOf(family) ? { family, address, prefix } : undefined
}

/** The one spelling of an address: IPv4-mapped IPv6 as IPv4, IPv6 as in RFC 5952. Undefined if it is none. */
export const canonicalIp = (text: string): string | undefined => {
  const family = familyOf(text)
  if (!family) return undefined
  if (family === 'ipv4') return text
  const address = parseIPv6(text)
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toRFC5952String()
}

export const contains = (cidr: Cidr, ip: string): boolean => matcher([cidr])(ip)

/** True for an address inside any of the ranges. What is no address is inside none. */
export const matcher = (cidrs: readonly Cidr[]): ((ip: string) => boolean) => {
  const ranges = cidrs.map(rangeOf)
  return (ip) => {
    const words = wordsOf(ip)
    return words !== undefined && ranges.some((range) => isInside(words, range))
  }
}

// `isIPv4` and `isIPv6` refuse octal, hexadecimal and shortened forms, which ipaddr.js would accept.
const familyOf = (text: string) => (isIPv4(text) ? 'ipv4' : isIPv6(text) && !text.includes('%') ? 'ipv6' : undefined)

const bitsOf = (family: Cidr['family']) => (family === 'ipv4' ? 32 : 128)

const rangeOf = ({ family, address, prefix = bitsOf(family) }: Cidr): Range => {
  const words = wordsOf(address)
  if (!words) throw new TypeError('Not a parsed CIDR')
  // A mapped address is an IPv4 one; a shorter prefix reaches beyond the mapped block, so it stays IPv6.
  const isMapped = family === 'ipv6' && words.length === 2
  if (isMapped && prefix < MAPPED_PREFIX_BITS) return { words: parseIPv6(address).parts, prefix }
  return { words, prefix: isMapped ? prefix - MAPPED_PREFIX_BITS : prefix }
}

/** Two 16-bit words for IPv4, also when it is written as IPv6; eight for IPv6. */
const wordsOf = (ip: string): readonly number[] | undefined => {
  const family = familyOf(ip)
  if (!family) return undefined
  if (family === 'ipv4') return ipv4Words(ip)
  const address = parseIPv6(ip)
  return address.isIPv4MappedAddress() ? address.parts.slice(6) : address.parts
}

const DOTTED_END = /\d+\.\d+\.\d+\.\d+$/

/** ipaddr.js takes `::127.0.0.1` for a mapped address, and `::7f00:1`, which is the same, for none. */
const parseIPv6 = (text: string) =>
  ipaddr.IPv6.parse(
    text.replace(DOTTED_END, (ipv4) =>
      ipv4Words(ipv4)
        .map((word) => word.toString(16))
        .join(':'),
    ),
  )

const ipv4Words = (ip: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number)
  return [(a << 8) | b, (c << 8) | d]
}

const isInside = (words: readonly number[], range: Range): boolean => {
  if (words.length !== range.words.length) return false
  let bitsLeft = range.prefix
  for (let index = 0; bitsLeft > 0; index++, bitsLeft -= 16) {
    const shift = Math.max(0, 16 - bitsLeft)
    if (Number(words[index]) >> shift !== Number(range.words[index]) >> shift) return false
  }
  return true
}
