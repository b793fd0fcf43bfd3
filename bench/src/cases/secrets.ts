import { Folder } from '../folder.ts'
import type { Tenant } from '../tenant.ts'
import type { RequestCase } from './case.ts'
import { sharedProject } from './projects.ts'

const folderOf = (tenant: Tenant, size: number) =>
  tenant.once(`folder of ${size}`, async () => Folder.create(tenant, await sharedProject(tenant), size))

const newFolder = async (tenant: Tenant) => Folder.create(tenant, await sharedProject(tenant), 1)

const list = (size: number, perSecond: number): RequestCase => ({
  name: `secrets-list-${size}`,
  title: `list ${size.toLocaleString('en-US')} secrets, v4`,
  ceiling: 'bare',
  goal: { share: 0.5, perSecond },
  prepare: async (tenant) => (await folderOf(tenant, size)).listRequest(),
})

export const list10 = list(10, 5_160)
export const list100 = list(100, 3_300)
export const list1000 = list(1_000, 500)

export const list100Legacy: RequestCase = {
  name: 'secrets-list-v3',
  title: 'list 100 secrets, v3',
  ceiling: 'bare',
  goal: { share: 0.5 },
  prepare: async (tenant) => (await folderOf(tenant, 100)).legacyListRequest(),
}

export const listUnchanged: RequestCase = {
  name: 'secrets-list-unchanged',
  title: 'list 1,000 secrets, unchanged (304)',
  ceiling: 'bare',
  goal: { share: 0.5, perSecond: 8_355 },
  prepare: async (tenant) => {
    const request = (await folderOf(tenant, 1_000)).listRequest()
    return { ...request, ifNoneMatch: await tenant.api.entityTag(request) }
  },
}

export const secretGet: RequestCase = {
  name: 'secret-get',
  title: 'get one secret',
  ceiling: 'bare',
  goal: { share: 0.5, perSecond: 4_890 },
  prepare: async (tenant) => (await folderOf(tenant, 100)).getRequest('SECRET_7'),
}

export const secretCreate: RequestCase = {
  name: 'secret-create',
  title: 'create one secret',
  ceiling: 'insert',
  goal: { share: 0.5, perSecond: 1_125 },
  prepare: async (tenant) => (await newFolder(tenant)).createRequest(),
}

export const secretUpdate: RequestCase = {
  name: 'secret-update',
  title: 'update one secret',
  ceiling: 'insert',
  goal: { share: 0.5, perSecond: 925 },
  connections: [1, 16],
  prepare: async (tenant) => (await newFolder(tenant)).updateRequest('SECRET_0'),
}

export const secretUpdateOfOne: RequestCase = {
  name: 'secret-update-64',
  title: '64 writers of one secret',
  ceiling: 'insert',
  goal: { share: 0.5, perSecond: 925 },
  connections: [64],
  prepare: async (tenant) => (await newFolder(tenant)).updateRequest('SECRET_0'),
}

export const secretBatch: RequestCase = {
  name: 'secret-batch',
  title: 'create 100 secrets at once',
  ceiling: 'insert',
  goal: { share: 0.01 },
  prepare: async (tenant) => (await newFolder(tenant)).batchRequest(),
}
