/** A role as a membership has it: predefined by its slug, or `custom` and the role that is meant. */
export type HeldRole = {
  id: string
  role: string
  customRoleId: string | null
  customRoleName: string | null
  customRoleSlug: string | null
  isTemporary: boolean
  temporaryMode: string | null
  temporaryRange: string | null
  temporaryAccessStartTime: Date | null
  temporaryAccessEndTime: Date | null
  createdAt: Date
  updatedAt: Date
}

/** As JSON of the database, which knows no dates. */
export type HeldRoleText = Omit<HeldRole, 'createdAt' | 'updatedAt' | `temporaryAccess${'Start' | 'End'}Time`> & {
  temporaryAccessStartTime: string | null
  temporaryAccessEndTime: string | null
  createdAt: string
  updatedAt: string
}

export const heldRoleOf = (role: HeldRoleText): HeldRole => ({
  ...role,
  temporaryAccessStartTime: toDate(role.temporaryAccessStartTime),
  temporaryAccessEndTime: toDate(role.temporaryAccessEndTime),
  createdAt: new Date(role.createdAt),
  updatedAt: new Date(role.updatedAt),
})

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text))
