import { Group, PAGE } from '../group.ts'
import type { Tenant } from '../tenant.ts'
import type { RequestCase } from './case.ts'

const GOAL = { share: 0.6, perSecond: 2_770 }
const MANY = 100_000

const groupOf = (tenant: Tenant, size: number, databaseUrl: string | undefined) =>
  tenant.once(`group of ${size}`, () => Group.create(tenant, size, databaseUrl))

const membersPage = (name: string, title: string, { size, offset }: { size: number; offset: number }): RequestCase => ({
  name: `group-members-${name}`,
  title: `group members, ${title}`,
  ceiling: 'select-100',
  goal: GOAL,
  prepare: async (tenant, databaseUrl) => (await groupOf(tenant, size, databaseUrl)).pageRequest(offset),
})

export const membersOfSmallGroup = membersPage('100', 'all 100', { size: PAGE, offset: 0 })
export const firstOfLargeGroup = membersPage('first', 'first 100 of 100,000', { size: MANY, offset: 0 })
export const lastOfLargeGroup = membersPage('last', 'last 100 of 100,000', { size: MANY, offset: MANY - PAGE })
