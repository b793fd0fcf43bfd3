import { z } from 'zod'
import { Timestamp, Uuid } from '../../../platform/http/wire-types.ts'

export const ActiveProjectBody = z.object({ projectId: Uuid })

export const Overview = z.object({
  activeProjectId: z.string().nullable(),
  projects: z.array(z.object({ id: z.string(), name: z.string(), slug: z.string(), createdAt: Timestamp })),
  isMultiInstance: z.boolean(),
})

export const ActiveProject = z.object({
  activeProjectId: z.string(),
  previousActiveProjectId: z.string().nullable(),
  projectName: z.string(),
})
