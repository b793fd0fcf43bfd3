import { hash, randomUUID } from 'node:crypto'

/** What a token hangs on besides its identity: one attachment of a login method, one membership in an organization. */
export type TokenBinding = { methodId: string; membershipId: string }

const TAG_HEX_DIGITS = 12
const VERSION_AT = 14

/**
 * A UUID of version 8 whose first 48 bits say what the token is bound to; the other 74 are random. When the method is
 * attached anew or the membership made anew, tokens from before no longer fit, to the very moment and without a row.
 */
export const newTokenId = (binding: TokenBinding): string => {
  const tag = tagOf(binding)
  // Behind its version, a random UUID has just the bits that are wanted.
  return `${tag.slice(0, 8)}-${tag.slice(8)}-8${randomUUID().slice(VERSION_AT + 1)}`
}

export const isBoundTo = (tokenId: string, binding: TokenBinding): boolean =>
  tokenId.slice(0, TAG_HEX_DIGITS + 1).replace('-', '') === tagOf(binding)

const tagOf = ({ methodId, membershipId }: TokenBinding): string =>
  hash('sha256', `${methodId} ${membershipId}`).slice(0, TAG_HEX_DIGITS)
