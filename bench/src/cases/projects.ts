import type { Tenant } from '../tenant.ts'
import type { RequestCase } from './case.ts'

export const sharedProject = (tenant: Tenant) => tenant.once('project', () => tenant.createProject())

export const projectBySlug: RequestCase = {
  name: 'project-v1',
  title: 'project by slug, v1',
  ceiling: 'bare',
  goal: { share: 0.5, perSecond: 6_500 },
  prepare: async (tenant) => ({
    method: 'GET',
    path: `/api/v1/projects/slug/${(await sharedProject(tenant)).slug}`,
    token: tenant.token,
  }),
}

export const workspaceBySlug: RequestCase = {
  name: 'project-v2',
  title: 'project by slug, v2',
  ceiling: 'bare',
  goal: { share: 0.5, perSecond: 6_900 },
  prepare: async (tenant) => ({
    method: 'GET',
    path: `/api/v2/workspace/${(await sharedProject(tenant)).slug}`,
    token: tenant.token,
  }),
}
