import { inParallel } from '../api.ts'
import { ProjectMember } from '../project-member.ts'
import type { Tenant } from '../tenant.ts'
import type { RequestCase } from './case.ts'
import { sharedProject } from './projects.ts'

const LISTED = 20

const addMember = async (tenant: Tenant) => ProjectMember.add(tenant, await sharedProject(tenant))

export const privilegeCreate: RequestCase = {
  name: 'privilege-create',
  title: 'privilege create',
  ceiling: 'insert',
  goal: { share: 0.5, perSecond: 5_400 },
  prepare: async (tenant) => (await addMember(tenant)).createRequest(),
}

export const privilegeGet: RequestCase = {
  name: 'privilege-get',
  title: 'privilege get',
  ceiling: 'select',
  goal: { share: 0.6, perSecond: 6_600 },
  prepare: async (tenant) => {
    const member = await addMember(tenant)
    return member.getRequest(await member.grant('read'))
  },
}

export const privilegeList: RequestCase = {
  name: 'privilege-list',
  title: `privilege list of ${LISTED}`,
  ceiling: 'select',
  goal: { share: 0.6, perSecond: 4_000 },
  prepare: async (tenant) => {
    const member = await addMember(tenant)
    await inParallel({ from: 0, to: LISTED }, (number) => member.grant(`grant-${number}`))
    return member.listRequest()
  },
}
