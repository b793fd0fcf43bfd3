import { isUuid } from '../../../lib/uuid.ts'

/** What a text in a path may stand for; the first that finds something counts. */
export type CertificateId = {
  id?: string
  /** Lower-case hexadecimal, of SHA-1 or SHA-256. */
  thumbprint?: string
  serialNumber?: string
}

const THUMBPRINT_DIGITS = [40, 64]
/** RFC 5280 4.1.2.2 allows 20 bytes; certificates from elsewhere may have a few more. */
const SERIAL_DIGITS_MAX = 64
const SERIAL_NUMBER = /^[0-9a-f]+$/

export const readCertificateId = (text: string): CertificateId => {
  const trimmed = text.trim().toLowerCase()
  if (isUuid(trimmed)) return { id: trimmed }

  const digits = trimmed.replace(/[^0-9a-f]/g, '')
  const serialNumber = readSerialNumber(trimmed)
  return {
    ...(THUMBPRINT_DIGITS.includes(digits.length) && { thumbprint: digits }),
    ...(serialNumber !== undefined && { serialNumber }),
  }
}

/** In any case, with or without separators and leading zeros; undefined for what is none. */
export const readSerialNumber = (text: string): string | undefined => {
  const digits = text.toLowerCase().replace(/[:\s-]/g, '')
  if (digits.length > SERIAL_DIGITS_MAX || !SERIAL_NUMBER.test(digits)) return undefined
  return digits.replace(/^0+(?=.)/, '')
}
