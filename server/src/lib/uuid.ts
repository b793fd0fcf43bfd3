import { randomBytes } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const POOL_BYTES = 4_096
const RANDOM_BYTES = 10

let pool = Buffer.alloc(0)
let used = 0
let moment = 0
let place = 0

/** A new id (UUID version 7): those made later in this process sort later, so a list comes back as it was sent. */
export const newId = (now = Date.now()): string => {
  if (used + RANDOM_BYTES > pool.length) {
    pool = randomBytes(POOL_BYTES)
    used = 0
  }
  const start = used
  used += RANDOM_BYTES
  // 26 bits that count within a millisecond, from a random start that leaves half of them free.
  place = now === moment ? place + 1 : pool.readUInt32BE(start) >>> 7
  moment = now
  const time = now.toString(16).padStart(12, '0')
  const high = (0x7000 | (place >>> 14)).toString(16)
  const low = (0x8000 | (place & 0x3fff)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-${high}-${low}-${pool.toString('hex', start + 4, used)}`
}

/**
 * Whether a text may go where PostgreSQL expects a uuid. In lower case only, although PostgreSQL knows both: rules and
 * cache tags compare ids as texts, so that a second spelling of one would slip by a deny or a revocation.
 */
export const isUuid = (text: string): boolean => UUID.test(text)
