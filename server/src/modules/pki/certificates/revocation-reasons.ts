/** As on the wire, with their numbers in RFC 5280 5.3.1. */
const NUMBERS = {
  UNSPECIFIED: 0,
  KEY_COMPROMISE: 1,
  CA_COMPROMISE: 2,
  AFFILIATION_CHANGED: 3,
  SUPERSEDED: 4,
  CESSATION_OF_OPERATION: 5,
  CERTIFICATE_HOLD: 6,
  PRIVILEGE_WITHDRAWN: 9,
  A_A_COMPROMISE: 10,
} as const

export type RevocationReason = keyof typeof NUMBERS

export const REVOCATION_REASONS = Object.keys(NUMBERS) as [RevocationReason, ...RevocationReason[]]

export const numberOf = (reason: RevocationReason): number => NUMBERS[reason]

export const isOnHold = (number: number | null): boolean => number === NUMBERS.CERTIFICATE_HOLD

/**
 * Whether a certificate revoked for the one reason is from now on revoked for the other: a hold may become final, and a key may
 * turn out to be lost. To give no reason is not enough to make a hold final.
 */
export const isRaisedBy = (present: number, next: number): boolean =>
  isOnHold(present)
    ? !isOnHold(next) && next !== NUMBERS.UNSPECIFIED
    : next === NUMBERS.KEY_COMPROMISE && present !== next
