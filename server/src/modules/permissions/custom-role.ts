import type { Generated, JSONColumnType } from 'kysely'
import type { PredefinedRole } from './predefined-roles.ts'
import type { Rule } from './rule.ts'

/** The columns of a role that an organization or a project made for itself, but for whose it is. */
export type RoleColumns = {
  id: string
  slug: string
  name: string
  description: string | null
  permissions: JSONColumnType<Rule[]>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}

export type NewRole = {
  slug: string
  name: string
  description?: string | null | undefined
  permissions: readonly Rule[]
}

/** What is undefined stays as it is. */
export type RoleChanges = { [Name in keyof NewRole]?: NewRole[Name] | undefined }

/** A predefined role as if it were a custom one, as old as what it belongs to. */
export const asCustom = ({ rules, ...role }: PredefinedRole, since: Date) => ({
  ...role,
  permissions: rules,
  createdAt: since,
  updatedAt: since,
})
