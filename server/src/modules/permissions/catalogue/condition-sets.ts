export type Operator = '$eq' | '$ne' | '$in' | '$all' | '$glob'

/** What may be said about one field of a subject. */
export type ConditionField =
  | {
      readonly kind: 'text'
      readonly operators: readonly Operator[]
      /** Whether a plain string, meaning `$eq`, may stand in place of the operators. */
      readonly acceptsPlainText: boolean
      /** Whether the compared values, patterns excepted, must begin with a slash. */
      readonly isPath: boolean
    }
  | {
      readonly kind: 'metadata'
      /** What may be said about the key and the value of one entry. */
      readonly operators: readonly Operator[]
    }

export type ConditionSet = Readonly<Record<string, ConditionField>>

const EXACT = { kind: 'text', operators: ['$eq', '$ne', '$in'], acceptsPlainText: true, isPath: false } as const
const TEXT = { ...EXACT, operators: ['$eq', '$ne', '$in', '$glob'] } as const
const TEXT_WITHOUT_NE = { ...EXACT, operators: ['$eq', '$in', '$glob'] } as const
const PATH = { ...TEXT, isPath: true } as const
const TAGS = { kind: 'text', operators: ['$in', '$all'], acceptsPlainText: false, isPath: false } as const
const METADATA = { kind: 'metadata', operators: ['$eq', '$ne', '$in'] } as const
const METADATA_WITHOUT_NE = { kind: 'metadata', operators: ['$eq', '$in'] } as const

export const BY_PLACE = { environment: TEXT, secretPath: PATH } as const
export const BY_SECRET = {
  ...BY_PLACE,
  secretName: TEXT,
  secretTags: TAGS,
  // wire: accepted and kept; no check ever names an event type, so `$eq` and `$in` never hold.
  eventType: EXACT,
} as const
export const BY_FOLDER = { environment: EXACT, secretPath: PATH } as const
export const BY_PLACE_AND_CONNECTION = { ...BY_PLACE, connectionId: EXACT } as const
export const BY_DYNAMIC_SECRET = { ...BY_PLACE, metadata: METADATA } as const
export const BY_IDENTITY = {
  identityId: EXACT,
  assignableRole: EXACT,
  assignableSubject: TEXT,
  assignableAction: TEXT,
} as const
export const BY_MEMBER = {
  userEmail: TEXT,
  assignableRole: EXACT,
  assignableSubject: TEXT,
  assignableAction: TEXT,
} as const
export const BY_GROUP = { groupName: TEXT, assignableRole: EXACT } as const
export const BY_CONNECTION = { connectionId: EXACT } as const
export const BY_NAME = { name: TEXT } as const
export const BY_SLUG = { slug: TEXT } as const
export const BY_SUBSCRIBER = { name: TEXT_WITHOUT_NE } as const
export const BY_PKI_SYNC = { name: TEXT, subscriberName: TEXT } as const
export const BY_CERTIFICATE = {
  commonName: TEXT,
  altNames: TEXT,
  serialNumber: TEXT,
  friendlyName: TEXT,
  status: TEXT,
  metadata: METADATA_WITHOUT_NE,
} as const
