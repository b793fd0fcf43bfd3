export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }

/** News of one transaction: `scope` is the tag that it makes stale, `body` is for those who follow. */
export type Change = { scope: string; kind: string; body?: Json | undefined }

const NAME_LENGTH_MAX = 500
const BODY_BYTES_MAX = 256 * 1_024
const CHANGES_MAX = 10_000

/** In order, with their bodies as text. Throws on what no caller may ask for: such a change would burden every process. */
export const serialize = (changes: readonly Change[]): string => {
  if (changes.length > CHANGES_MAX) throw new Error(`${changes.length} changes at once; the most is ${CHANGES_MAX}`)
  return JSON.stringify(changes.map((change) => [change.scope, change.kind, serializeBody(change)]))
}

const serializeBody = ({ scope, kind, body }: Change): string | null => {
  for (const name of [scope, kind]) {
    if (name === '' || name.length > NAME_LENGTH_MAX)
      throw new Error(`A change needs a scope and a kind of 1 to ${NAME_LENGTH_MAX} characters`)
  }
  if (body === undefined) return null
  const text = JSON.stringify(body)
  const bytes = Buffer.byteLength(text)
  if (bytes > BODY_BYTES_MAX)
    throw new Error(`The body of a '${kind}' change has ${bytes} bytes; the most is ${BODY_BYTES_MAX}`)
  return text
}
