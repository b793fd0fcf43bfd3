import type { StoredTag } from './tags.service.ts'

/** In the words of the wire, and in its order. */
export const toTag = (tag: StoredTag) => ({
  id: tag.id,
  slug: tag.slug,
  color: tag.color,
  createdAt: tag.createdAt,
  updatedAt: tag.updatedAt,
  createdBy: tag.createdBy,
  projectId: tag.projectId,
  createdByActorType: tag.createdByType,
})

export const toNamedTag = (tag: StoredTag) => ({ ...toTag(tag), name: tag.slug })
