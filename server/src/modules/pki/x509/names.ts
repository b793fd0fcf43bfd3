import { isIP } from 'node:net'
import { ia5String, objectIdentifier, printableString, sequence, set, TAG, utf8String } from './der.ts'
import { DerReader, malformed, readObjectIdentifier, type Element } from './der-reader.ts'
import { UnreadableError } from './unreadable-error.ts'

export type Subject = {
  commonName?: string
  organization?: string
  organizationalUnit?: string
  country?: string
  state?: string
  locality?: string
  /** As in a host name: the most particular first. */
  domainComponents?: string[]
}

export const ALT_NAME_TYPES = ['dns_name', 'ip_address', 'email', 'uri', 'upn'] as const
export type AltName = { type: (typeof ALT_NAME_TYPES)[number]; value: string }

/** In the order in which they are written, after the domain components. */
const ATTRIBUTES = [
  { field: 'country', short: 'C', oid: '2.5.4.6' },
  { field: 'organization', short: 'O', oid: '2.5.4.10' },
  { field: 'organizationalUnit', short: 'OU', oid: '2.5.4.11' },
  { field: 'state', short: 'ST', oid: '2.5.4.8' },
  { field: 'commonName', short: 'CN', oid: '2.5.4.3' },
  { field: 'locality', short: 'L', oid: '2.5.4.7' },
] as const
const DOMAIN_COMPONENT = { short: 'DC', oid: '0.9.2342.19200300.100.1.25' }

const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/
const ASCII = /^[\x20-\x7e]*$/
// eslint-disable-next-line no-control-regex -- these are what it looks for
const CONTROL = /[\x00-\x1f\x7f]/
const ATTRIBUTES_MAX = 100

const URL_WITH_HOST = /^[a-z][a-z0-9+.-]*:\/\//i
const EMAIL = /^[^\s@]+@[^\s@]+$/

type Attribute = { short: string; oid: string; value: string }

/** A RelativeDistinguishedName for each attribute. */
export const encodeName = (subject: Subject): Buffer =>
  sequence(
    ...attributesOf(subject).map(({ oid, value }) => set(sequence(objectIdentifier(oid), encodeValue(oid, value)))),
  )

/** As `CN=api,O=Example`, in the order of the encoded name, escaped as in RFC 4514. */
export const describeName = (subject: Subject): string =>
  attributesOf(subject)
    .map(({ short, value }) => `${short}=${escapeValue(value)}`)
    .join(',')

/** Attributes it does not know are passed over; of several of one kind the first counts. */
export const readName = ({ content }: Element): Subject => {
  const subject: Subject = {}
  const components: string[] = []
  for (const { oid, value } of readAttributes(content)) {
    const field = ATTRIBUTES.find((attribute) => attribute.oid === oid)?.field
    if (field) subject[field] ??= readText(value)
    if (oid === DOMAIN_COMPONENT.oid) components.unshift(readText(value))
  }
  if (components.length > 0) subject.domainComponents = components
  return subject
}

/** What a bare value most likely names. */
export const inferAltName = (value: string): AltName => {
  if (isIP(value) !== 0) return { type: 'ip_address', value }
  if (URL_WITH_HOST.test(value)) return { type: 'uri', value }
  if (EMAIL.test(value)) return { type: 'email', value }
  return { type: 'dns_name', value }
}

/** A string of the kinds that occur in names. Control characters are refused: what shows a name would be misled. */
export const readText = ({ tag, content }: Element): string => {
  return requirePrintable(decodeText(tag, content))
}

export const requirePrintable = (text: string): string => {
  if (CONTROL.test(text)) throw new UnreadableError('A name holds control characters')
  return text
}

export const requireAscii = (value: string): string => {
  if (!ASCII.test(value)) throw new UnreadableError(`'${value}' has characters that a certificate cannot carry there`)
  return value
}

const attributesOf = ({ domainComponents = [], ...subject }: Subject): Attribute[] => [
  ...domainComponents.toReversed().map((value) => ({ ...DOMAIN_COMPONENT, value })),
  ...ATTRIBUTES.flatMap(({ field, short, oid }) => {
    const value = subject[field]
    return value === undefined || value === '' ? [] : [{ short, oid, value }]
  }),
]

const encodeValue = (oid: string, value: string): Buffer => {
  requirePrintable(value)
  if (oid === DOMAIN_COMPONENT.oid) return ia5String(requireAscii(value))
  // RFC 5280 appendix A: a country is a PrintableString.
  return oid === '2.5.4.6' && PRINTABLE.test(value) ? printableString(value) : utf8String(value)
}

const escapeValue = (value: string): string => value.replace(/["+,;<>\\]/g, '\\$&').replace(/^[ #]|(?<=.) $/g, '\\$&')

const readAttributes = (content: Buffer): { oid: string; value: Element }[] => {
  const attributes: { oid: string; value: Element }[] = []
  for (const { tag, content: members } of new DerReader(content).rest()) {
    if (tag !== TAG.set) throw malformed()
    for (const member of new DerReader(members).rest()) {
      const parts = new DerReader(member.content)
      attributes.push({ oid: readObjectIdentifier(parts.take(TAG.objectIdentifier)), value: parts.next() })
    }
  }
  if (attributes.length > ATTRIBUTES_MAX) throw new UnreadableError('A name has too many attributes')
  return attributes
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
const utf16 = new TextDecoder('utf-16be', { fatal: true })

const decodeText = (tag: number, content: Buffer): string => {
  try {
    switch (tag) {
      case TAG.utf8String:
        return utf8.decode(content)
      case TAG.bmpString:
        return utf16.decode(content)
      case TAG.printableString:
      case TAG.teletexString:
      case TAG.ia5String:
        return content.toString('latin1')
    }
  } catch (error) {
    throw new UnreadableError('A name is not valid text', { cause: error })
  }
  throw new UnreadableError('A name is of a kind of text that is not read here')
}
