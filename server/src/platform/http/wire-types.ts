import { z } from 'zod'

/** A point in time in a response: a Date inside, ISO 8601 in UTC with milliseconds on the wire. */
export const Timestamp = z.date()
export const NullableTimestamp = Timestamp.nullable()

/** A point in time in a request, with any offset and up to nine digits of fraction. */
export const Instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text))

/** The id of something. Whether it has the form of one is for the lookup to find out: what cannot exist is not found. */
export const Id = z.string().trim().min(1).max(100)

/** An id where a malformed one is told apart, with 422. */
export const Uuid = z.guid()

/** A flag in a query: empty, `0` and any case of `false` are false, everything else is true. */
export const QueryFlag = z.string().transform((text) => !['', '0', 'false'].includes(text.toLowerCase()))

/** A query parameter that clients send empty when they mean to leave it out. */
export const emptyAsAbsent = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional()).optional()

/** A body that may be left out altogether, as if it were `{}`. */
export const optionalBody = <Schema extends z.ZodObject>(schema: Schema) => z.preprocess((value) => value ?? {}, schema)

/** Bytes in a response that is not JSON. */
export const Bytes = z.instanceof(Uint8Array).meta({ type: 'string', format: 'binary' })
