import { type TermColumns, type TermText, timesOf } from '../permissions/term.ts'

type Role = {
  id: string
  role: string
  customRoleId: string | null
  customRoleName: string | null
  customRoleSlug: string | null
}

/** A role as a membership has it: predefined by its slug, or `custom` and the role that is meant. */
export type HeldRole = Role & TermColumns & { createdAt: Date; updatedAt: Date }

/** As JSON of the database, which knows no dates. */
export type HeldRoleText = Role & TermText & { createdAt: string; updatedAt: string }

export const heldRoleOf = (role: HeldRoleText): HeldRole => ({
  ...role,
  ...timesOf(role),
  createdAt: new Date(role.createdAt),
  updatedAt: new Date(role.updatedAt),
})
