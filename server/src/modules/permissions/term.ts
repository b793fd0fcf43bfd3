/** For how long a role or a privilege is held: from the start until just before the end. */
export type Term = {
  isTemporary: true
  temporaryMode: 'relative'
  temporaryRange: string
  temporaryAccessStartTime: Date
  temporaryAccessEndTime: Date
}

export const PERMANENT = {
  isTemporary: false,
  temporaryMode: null,
  temporaryRange: null,
  temporaryAccessStartTime: null,
  temporaryAccessEndTime: null,
} as const

type Times<Time> = { temporaryAccessStartTime: Time | null; temporaryAccessEndTime: Time | null }
type StoredTerm<Time> = {
  isTemporary: boolean
  temporaryMode: string | null
  temporaryRange: string | null
} & Times<Time>

/** The columns of what is held for a term or for good. */
export type TermColumns = StoredTerm<Date>

/** The same as JSON of the database, which knows no dates. */
export type TermText = StoredTerm<string>

export const timesOf = ({ temporaryAccessStartTime, temporaryAccessEndTime }: TermText): Times<Date> => ({
  temporaryAccessStartTime: toDate(temporaryAccessStartTime),
  temporaryAccessEndTime: toDate(temporaryAccessEndTime),
})

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text))
