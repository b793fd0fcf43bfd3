import * as organization from './predefined/organization-holdings.ts'
import * as project from './predefined/project-holdings.ts'
import { rulesOf } from './predefined/holdings.ts'
import type { Rule } from './rule.ts'

/** A role that exists everywhere, without a row of its own. */
export type PredefinedRole = {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly rules: readonly Rule[]
}

/** Stands in a membership for a role that someone made; nobody can give a role this name. */
export const CUSTOM_ROLE = 'custom'

const NO_ACCESS = { slug: 'no-access', name: 'No Access', description: 'Grants nothing', rules: [] }

/** In the order in which they are listed. */
export const PROJECT_ROLES: readonly PredefinedRole[] = [
  {
    id: '6d1f0c0e-5a5b-4c3f-9d53-0a4f2f6f1a01',
    slug: 'admin',
    name: 'Admin',
    description: 'Full control of the project',
    rules: rulesOf(project.ADMIN),
  },
  {
    id: '6d1f0c0e-5a5b-4c3f-9d53-0a4f2f6f1a02',
    slug: 'member',
    name: 'Member',
    description: 'Works with what the project holds, without deciding who may',
    rules: rulesOf(project.MEMBER),
  },
  {
    id: '6d1f0c0e-5a5b-4c3f-9d53-0a4f2f6f1a03',
    slug: 'cryptographic-operator',
    name: 'Cryptographic Operator',
    description: 'Uses the keys of the project, and nothing else',
    rules: rulesOf(project.CRYPTOGRAPHIC_OPERATOR),
  },
  {
    id: '6d1f0c0e-5a5b-4c3f-9d53-0a4f2f6f1a04',
    slug: 'viewer',
    name: 'Viewer',
    description: 'Reads what the project holds',
    rules: rulesOf(project.VIEWER),
  },
  { id: '6d1f0c0e-5a5b-4c3f-9d53-0a4f2f6f1a05', ...NO_ACCESS },
]

/** In the order in which they are listed, with the ids that clients know. */
export const ORGANIZATION_ROLES: readonly PredefinedRole[] = [
  {
    id: 'b11b49a9-09a9-4443-916a-4246f9ff2c69',
    slug: 'admin',
    name: 'Admin',
    description: 'Full control of the organization',
    rules: rulesOf(organization.ADMIN),
  },
  {
    id: 'b11b49a9-09a9-4443-916a-4246f9ff2c70',
    slug: 'member',
    name: 'Member',
    description: 'Takes part in the organization, without administering it',
    rules: rulesOf(organization.MEMBER),
  },
  { id: 'b10d49a9-09a9-4443-916a-4246f9ff2c72', ...NO_ACCESS },
]

const bySlug = (roles: readonly PredefinedRole[]) => new Map(roles.map((role) => [role.slug, role]))
const projectRoles = bySlug(PROJECT_ROLES)
const organizationRoles = bySlug(ORGANIZATION_ROLES)

/** An unknown role contributes nothing. */
export const projectRoleRules = (slug: string): readonly Rule[] => projectRoles.get(slug)?.rules ?? []

/** An unknown role contributes nothing. */
export const organizationRoleRules = (slug: string): readonly Rule[] => organizationRoles.get(slug)?.rules ?? []

export const isReservedProjectRole = (slug: string): boolean => slug === CUSTOM_ROLE || projectRoles.has(slug)
export const isReservedOrganizationRole = (slug: string): boolean => slug === CUSTOM_ROLE || organizationRoles.has(slug)
