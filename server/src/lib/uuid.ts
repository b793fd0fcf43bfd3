import { randomBytes } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const POOL_BYTES = 4_096
const RANDOM_BYTES = 10

let pool = Buffer.alloc(0)
let used = 0

/** A new id (UUID version 7): ids made later sort later, so rows made together lie together. */
export const newId = (now = Date.now()): string => {
  if (used + RANDOM_BYTES > pool.length) {
    pool = randomBytes(POOL_BYTES)
    used = 0
  }
  const random = pool.toString('hex', used, (used += RANDOM_BYTES))
  const time = now.toString(16).padStart(12, '0')
  const variant = ((parseInt(random.slice(3, 4), 16) & 0b0011) | 0b1000).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`
}

/**
 * Whether a text may go where PostgreSQL expects a uuid. In lower case only, although PostgreSQL knows both: rules and
 * cache tags compare ids as texts, so that a second spelling of one would slip by a deny or a revocation.
 */
export const isUuid = (text: string): boolean => UUID.test(text)
