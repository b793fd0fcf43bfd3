import type { RequestCase } from './case.ts'

export const status: RequestCase = {
  name: 'status',
  title: 'status',
  ceiling: 'bare',
  goal: { share: 0.5, perSecond: 9_100 },
  prepare: () => Promise.resolve({ method: 'GET', path: '/api/status' }),
}
