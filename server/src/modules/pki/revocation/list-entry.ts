import { enumerated, hexInteger, sequence, time } from '../x509/der.ts'
import { extension } from '../x509/extensions.ts'

/** RFC 5280 5.3.1. */
export const REASON = { unspecified: 0, certificateHold: 6, removeFromCrl: 8 } as const

const REASON_CODE = '2.5.29.21'

type Entry = { serialNumber: string; at: Date; reason: number }

/** How a list says that a certificate was taken back. Without a reason, the extensions are left out altogether. */
export const encodeEntry = ({ serialNumber, at, reason }: Entry): Buffer =>
  sequence(
    hexInteger(serialNumber),
    time(at),
    ...(reason === REASON.unspecified ? [] : [sequence(extension(REASON_CODE, enumerated(reason)))]),
  )
