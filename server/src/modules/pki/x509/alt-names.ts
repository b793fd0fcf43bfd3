import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { context, implicit, objectIdentifier, sequence, TAG, utf8String } from './der.ts'
import { DerReader, readObjectIdentifier, type Element } from './der-reader.ts'
import { readText, requireAscii, requirePrintable, type AltName } from './names.ts'
import { UnreadableError } from './unreadable-error.ts'

/** Microsoft's user principal name. */
const UPN = '1.3.6.1.4.1.311.20.2.3'

/** GeneralName, RFC 5280 4.2.1.6: its choices by number. */
const OTHER_NAME = 0
const TEXT_CHOICES = { email: 1, dns_name: 2, uri: 6 } as const
const IP_ADDRESS = 7

const IMPLICIT = 0x80
const CONSTRUCTED = 0xa0

export const uriName = (url: string): Buffer => implicit(TEXT_CHOICES.uri, Buffer.from(requireAscii(url), 'latin1'))

/** Rules compare names as text, and an address has many spellings. */
export const inOneSpelling = (name: AltName): AltName =>
  name.type === 'ip_address' ? { ...name, value: spellAddress(name.value) } : name

export const spellAddress = (value: string): string => (isIP(value) === 0 ? value : ipaddr.parse(value).toString())

/** GeneralNames. */
export const encodeAltNames = (names: readonly AltName[]): Buffer => sequence(...names.map(encodeAltName))

/** Kinds of names that have no type here are passed over. */
export const readAltNames = (der: Buffer): AltName[] =>
  new DerReader(DerReader.whole(der, TAG.sequence).content).rest().flatMap(readAltName)

const encodeAltName = ({ type, value }: AltName): Buffer => {
  switch (type) {
    case 'ip_address':
      if (isIP(value) === 0) throw new UnreadableError(`'${value}' is no IP address`)
      return implicit(IP_ADDRESS, Buffer.from(ipaddr.parse(value).toByteArray()))
    case 'upn':
      return context(OTHER_NAME, objectIdentifier(UPN), context(0, utf8String(requirePrintable(value))))
    default:
      return implicit(TEXT_CHOICES[type], Buffer.from(requireAscii(value), 'latin1'))
  }
}

const readAltName = ({ tag, content, raw }: Element): AltName[] => {
  switch (tag) {
    case CONSTRUCTED | OTHER_NAME:
      return readOtherName(content)
    case IMPLICIT | IP_ADDRESS:
      return [{ type: 'ip_address', value: readAddress(content) }]
    case IMPLICIT | TEXT_CHOICES.email:
      return [{ type: 'email', value: readAscii(content, raw) }]
    case IMPLICIT | TEXT_CHOICES.dns_name:
      return [{ type: 'dns_name', value: readAscii(content, raw) }]
    case IMPLICIT | TEXT_CHOICES.uri:
      return [{ type: 'uri', value: readAscii(content, raw) }]
    default:
      return []
  }
}

const readAscii = (content: Buffer, raw: Buffer): string => requireAscii(readText({ tag: TAG.ia5String, content, raw }))

const readAddress = (content: Buffer): string => {
  if (content.length !== 4 && content.length !== 16) throw new UnreadableError('An IP address has an odd length')
  return ipaddr.fromByteArray([...content]).toString()
}

const readOtherName = (content: Buffer): AltName[] => {
  const parts = new DerReader(content)
  if (readObjectIdentifier(parts.take(TAG.objectIdentifier)) !== UPN) return []
  return [{ type: 'upn', value: readText(parts.enter(CONSTRUCTED).next()) }]
}
