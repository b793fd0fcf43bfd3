/** Stored as they were sent: what each means is decided when the rule is compiled. */
export type Conditions = Readonly<Record<string, unknown>>

/** Allows its actions on a subject, or denies them when inverted, where all of its conditions hold. */
export type Rule = {
  readonly subject: string
  readonly action: readonly string[]
  readonly inverted?: boolean | undefined
  readonly conditions?: Conditions | undefined
}

/** Usable from the start until just before the end, in milliseconds since 1970. */
export type Validity = { readonly startsAt: number; readonly endsAt: number }

/** Rules from one source: a role of the actor, a role of one of its groups, or a privilege. */
export type Grant = { readonly rules: readonly Rule[]; readonly validity?: Validity | undefined }

export const isActive = (validity: Validity | undefined, now: number): boolean =>
  validity === undefined || (validity.startsAt <= now && now < validity.endsAt)
