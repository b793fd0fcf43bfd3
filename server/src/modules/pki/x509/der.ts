/** Writes DER (ITU-T X.690), the encoding of everything that is signed here. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const

const IMPLICIT = 0x80
const CONSTRUCTED = 0xa0
const LONG_LENGTH = 0x80
/** RFC 5280 4.1.2.5: dates in 2050 or later are written with four digits of the year. */
const UTC_TIME_YEARS = { first: 1950, last: 2049 }

export const element = (tag: number, ...content: Buffer[]): Buffer => {
  let length = 0
  for (const part of content) length += part.length
  return Buffer.concat([header(tag, length), ...content])
}

/** What stands before `length` bytes of content. */
export const header = (tag: number, length: number): Buffer => {
  if (length < LONG_LENGTH) return Buffer.from([tag, length])
  const bytes = unsignedBytes(BigInt(length))
  return Buffer.concat([Buffer.from([tag, LONG_LENGTH | bytes.length]), bytes])
}

export const sequence = (...content: Buffer[]): Buffer => element(TAG.sequence, ...content)
export const set = (...content: Buffer[]): Buffer => element(TAG.set, ...content)
export const octetString = (content: Buffer): Buffer => element(TAG.octetString, content)
/** `[n] EXPLICIT` around an element, or `[n] IMPLICIT` around the content of a constructed one. */
export const context = (number: number, ...content: Buffer[]): Buffer => element(CONSTRUCTED | number, ...content)
/** `[n] IMPLICIT` for the content of a primitive element. */
export const implicit = (number: number, content: Buffer): Buffer => element(IMPLICIT | number, content)

export const TRUE = element(TAG.boolean, Buffer.from([0xff]))
export const NULL = element(TAG.null)

export const integer = (value: number | bigint): Buffer => element(TAG.integer, signedBytes(BigInt(value)))
export const enumerated = (value: number): Buffer => element(TAG.enumerated, signedBytes(BigInt(value)))
/** A positive integer given in hexadecimal digits. */
export const hexInteger = (hex: string): Buffer => integer(BigInt(`0x${hex}`))

export const bitString = (content: Buffer): Buffer => element(TAG.bitString, Buffer.from([0]), content)

/** A list of bits with names, without zeros at its end. */
export const namedBits = (positions: readonly number[]): Buffer => {
  const last = Math.max(-1, ...positions)
  const bytes = Buffer.alloc(Math.ceil((last + 1) / 8))
  for (const position of positions) {
    const index = position >> 3
    bytes[index] = (bytes[index] ?? 0) | (0x80 >> (position & 7))
  }
  return element(TAG.bitString, Buffer.from([bytes.length * 8 - (last + 1)]), bytes)
}

export const utf8String = (text: string): Buffer => element(TAG.utf8String, Buffer.from(text, 'utf8'))
export const ia5String = (text: string): Buffer => element(TAG.ia5String, Buffer.from(text, 'latin1'))
export const printableString = (text: string): Buffer => element(TAG.printableString, Buffer.from(text, 'latin1'))

export const objectIdentifier = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return element(TAG.objectIdentifier, ...[first * 40 + second, ...rest].map(base128))
}

/** To the second, in the form that its year asks for. */
export const time = (date: Date): Buffer => {
  const year = date.getUTCFullYear()
  const isShort = year >= UTC_TIME_YEARS.first && year <= UTC_TIME_YEARS.last
  return isShort ? element(TAG.utcTime, digits(date).subarray(2)) : generalizedTime(date)
}

export const generalizedTime = (date: Date): Buffer => element(TAG.generalizedTime, digits(date))

/** YYYYMMDDhhmmssZ */
const digits = (date: Date): Buffer =>
  Buffer.from(`${date.toISOString().slice(0, 19).replace(/[-T:]/g, '')}Z`, 'latin1')

const base128 = (value: number): Buffer => {
  const bytes = [value % 128]
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 | (rest % 128))
  return Buffer.from(bytes)
}

const unsignedBytes = (value: bigint): Buffer => {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

/** Of a number that is not negative: with a zero in front where the first bit would be a sign. */
const signedBytes = (value: bigint): Buffer => {
  const bytes = unsignedBytes(value)
  return (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Buffer.from([0]), bytes])
}
