import { TAG } from './der.ts'
import { UnreadableError } from './unreadable-error.ts'

export type Element = {
  tag: number
  content: Buffer
  /** With its tag and length, byte for byte as it came. */
  raw: Buffer
}

const LENGTH_BYTES_MAX = 4
const IDENTIFIER_BYTES_MAX = 64

/**
 * Reads DER in order, element by element, and only DER: other people's encodings that mean the same in two ways are
 * refused. Nothing is copied; it never recurses, so depth and size cost no more than the bytes that were sent.
 */
export class DerReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(content: Buffer) {
    this.#bytes = content
  }

  /** Of an element that is the whole of `der`. */
  static whole(der: Buffer, tag: number): Element {
    const reader = new DerReader(der)
    const element = reader.take(tag)
    reader.end()
    return element
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  get nextTag(): number | undefined {
    return this.#bytes[this.#at]
  }

  take(tag: number): Element {
    const element = this.next()
    if (element.tag !== tag) throw malformed()
    return element
  }

  takeIf(tag: number): Element | undefined {
    return this.nextTag === tag ? this.next() : undefined
  }

  /** The elements inside one that is constructed. */
  enter(tag: number): DerReader {
    return new DerReader(this.take(tag).content)
  }

  next(): Element {
    const start = this.#at
    const tag = this.#byte()
    // Tags above 30 occur in nothing that is read here.
    if ((tag & 0x1f) === 0x1f) throw malformed()
    const length = this.#length()
    const from = this.#at
    if (length > this.#bytes.length - from) throw malformed()
    this.#at = from + length
    return { tag, content: this.#bytes.subarray(from, this.#at), raw: this.#bytes.subarray(start, this.#at) }
  }

  rest(): Element[] {
    const elements: Element[] = []
    while (!this.isAtEnd) elements.push(this.next())
    return elements
  }

  end(): void {
    if (!this.isAtEnd) throw malformed()
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw malformed()
    this.#at++
    return byte
  }

  #length(): number {
    const first = this.#byte()
    if (first < 0x80) return first
    const bytes = first & 0x7f
    if (bytes === 0 || bytes > LENGTH_BYTES_MAX) throw malformed()
    let length = 0
    for (let index = 0; index < bytes; index++) length = length * 256 + this.#byte()
    const isShortest = length >= 0x80 && length >= 256 ** (bytes - 1)
    if (!isShortest) throw malformed()
    return length
  }
}

export const readObjectIdentifier = ({ tag, content }: Element): string => {
  const last = content.at(-1)
  const isSound = tag === TAG.objectIdentifier && last !== undefined && last < 0x80
  if (!isSound || content.length > IDENTIFIER_BYTES_MAX) throw malformed()
  const arcs: bigint[] = []
  let value = 0n
  for (const byte of content) {
    value = (value << 7n) | BigInt(byte & 0x7f)
    if (byte >= 0x80) continue
    arcs.push(value)
    value = 0n
  }
  const [head = 0n, ...rest] = arcs
  const first = head < 80n ? head / 40n : 2n
  return [first, head - first * 40n, ...rest].join('.')
}

/** In lower-case hexadecimal digits, without leading zeros. */
export const readHexInteger = ({ tag, content }: Element): string => {
  if (tag !== TAG.integer || content.length === 0 || (content[0] ?? 0) >= 0x80) throw malformed()
  return content.toString('hex').replace(/^0+(?=.)/, '')
}

export const readSmallInteger = (element: Element): number => {
  const hex = readHexInteger(element)
  if (hex.length > 8) throw malformed()
  return Number.parseInt(hex, 16)
}

export const readBoolean = ({ tag, content }: Element): boolean => {
  if (tag !== TAG.boolean || content.length !== 1) throw malformed()
  return content[0] !== 0
}

/** Of whole bytes. */
export const readBitString = ({ tag, content }: Element): Buffer => {
  if (tag !== TAG.bitString || content[0] !== 0) throw malformed()
  return content.subarray(1)
}

/** The positions of the bits that are set. */
export const readNamedBits = ({ tag, content }: Element): number[] => {
  if (tag !== TAG.bitString || content.length === 0 || content.length > 4) throw malformed()
  const bits: number[] = []
  content.subarray(1).forEach((byte, index) => {
    for (let bit = 0; bit < 8; bit++) if (byte & (0x80 >> bit)) bits.push(index * 8 + bit)
  })
  return bits
}

export const readTime = ({ tag, content }: Element): Date => {
  const text = content.toString('latin1')
  const [, digits] = (tag === TAG.utcTime ? /^(\d{12})Z$/ : /^(\d{14})Z$/).exec(text) ?? []
  if (digits === undefined || (tag !== TAG.utcTime && tag !== TAG.generalizedTime)) throw malformed()
  const full = tag === TAG.utcTime ? `${digits < '5' ? '20' : '19'}${digits}` : digits
  const [, year, month, day, hour, minute, second] = /^(\d{4})(..)(..)(..)(..)(..)$/.exec(full) ?? []
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(date.getTime())) throw malformed()
  return date
}

export const malformed = () => new UnreadableError('The encoding is not valid DER')
