import type { MetadataItem, Tag } from './secret.ts'
import type { Located, NewSecret } from './secret-writer.ts'

type Optional<T> = { [Field in keyof T]?: T[Field] | undefined }
type Details = {
  comment: string
  metadata: MetadataItem[]
  tagIds: string[]
  skipMultilineEncoding: boolean | null
  reminderNote: string | null
  reminderRepeatDays: number | null
}
export type WantedSecret = Optional<Details> & { key: string; value: string }
export type WantedChange = Optional<Details> & {
  key: string
  value?: string | undefined
  newKey?: string | undefined
  /** When it is in another folder than the rest. */
  path?: string | undefined
}
/** A wish whose tags have been found. */
export type Change = WantedChange & { path: string; tags: Tag[] | undefined }

/** A secret of which nothing is said. */
export const EMPTY = {
  value: '',
  comment: '',
  metadata: [],
  skipMultilineEncoding: null,
  reminderNote: null,
  reminderRepeatDays: null,
}

/** The name and the tags by which rules know a secret. */
export const named = ({ key, tags }: { key: string; tags: readonly Tag[] }) => ({
  key,
  tags: tags.map(({ slug }) => slug),
})

export const tagsOf = (
  { tagIds }: { tagIds?: string[] | undefined },
  known: ReadonlyMap<string, Tag>,
): Tag[] | undefined => tagIds && [...new Set(tagIds)].flatMap((id) => known.get(id) ?? [])

export const draftOf = (secret: WantedSecret, known: ReadonlyMap<string, Tag>): NewSecret => ({
  ...EMPTY,
  ...defined(secret),
  key: secret.key,
  value: secret.value,
  tags: tagsOf(secret, known) ?? [],
})

/** What a request says, apart from names and places. */
export const defined = ({ value, comment, metadata, ...rest }: Optional<Details> & { value?: string | undefined }) => ({
  ...(value !== undefined && { value }),
  ...(comment !== undefined && { comment }),
  ...(metadata !== undefined && { metadata }),
  ...(rest.skipMultilineEncoding !== undefined && { skipMultilineEncoding: rest.skipMultilineEncoding }),
  ...(rest.reminderNote !== undefined && { reminderNote: rest.reminderNote }),
  ...(rest.reminderRepeatDays !== undefined && { reminderRepeatDays: rest.reminderRepeatDays }),
})

export const changed = (before: Located, { newKey, tags, ...change }: Change): Located => ({
  ...before,
  ...defined(change),
  key: newKey ?? before.key,
  tags: tags ?? before.tags,
})
