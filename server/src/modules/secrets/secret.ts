export type Tag = { id: string; slug: string; color: string | null }
export type MetadataItem = { key: string; value: string; isEncrypted: boolean }

/** What may be said of a secret, wherever it is. */
export type SecretContent = {
  value: string
  comment: string
  metadata: MetadataItem[]
  tags: Tag[]
  skipMultilineEncoding: boolean | null
  reminderNote: string | null
  reminderRepeatDays: number | null
}

/** A secret in the clear. */
export type Secret = SecretContent & {
  id: string
  folderId: string
  key: string
  /** Null: everyone's. */
  userId: string | null
  version: number
  createdAt: Date
  updatedAt: Date
}

/** For records: which metadata there is, without what is encrypted of it. */
export const describedMetadata = (metadata: readonly MetadataItem[]) =>
  metadata.map(({ key, value, isEncrypted }) => ({ key, value: isEncrypted ? '*****' : value, isEncrypted }))
