import { z } from 'zod'
import { Timestamp } from '../../platform/http/wire-types.ts'
import { slugOf } from '../projects/projects.schemas.ts'

const COLOR_LENGTH_MAX = 64

const Slug = slugOf({ min: 1, max: 64 })
const projectId = z.string().describe('Id of the project')

export const InProject = z.object({ projectId })
export const OfProject = z.object({ projectId, tagId: z.string() })
export const BySlug = z.object({ projectId, tagSlug: z.string() })

export type TagBody = z.infer<typeof TagBody>
export const TagBody = z.object({ slug: Slug, color: z.string().trim().max(COLOR_LENGTH_MAX) })

const Tag = z.object({
  id: z.uuid(),
  slug: z.string(),
  color: z.string().nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  createdBy: z.uuid().nullable(),
  projectId: z.string(),
  createdByActorType: z.string(),
})
const NamedTag = Tag.extend({ name: z.string() })

export const TagAnswer = z.object({ tag: Tag })
export const NamedTagAnswer = z.object({ tag: NamedTag })
export const TagList = z.object({ tags: z.array(Tag) })
export const WorkspaceTagAnswer = z.object({ workspaceTag: Tag })
export const NamedWorkspaceTagAnswer = z.object({ workspaceTag: NamedTag })
export const WorkspaceTagList = z.object({ workspaceTags: z.array(Tag) })
