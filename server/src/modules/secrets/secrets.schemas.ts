import { z } from 'zod'
import { emptyAsAbsent, QueryFlag } from '../../platform/http/wire-types.ts'
import { ROOT } from './folder-paths.ts'
import { trimValue } from './secret-rules.ts'

const NAME_LENGTH_MAX = 500
const PATH_LENGTH_MAX = 4_000
const NOTE_LENGTH_MAX = 1_024
const METADATA_KEY_LENGTH_MAX = 255
const METADATA_VALUE_LENGTH_MAX = 1_020
const METADATA_MAX = 500
const METADATA_FILTERS_MAX = 10
const TAGS_MAX = 100
const BATCH_MAX = 10_000
const REMINDER_DAYS_MAX = 36_500

const withoutNul = (text: string) => !text.includes('\0')
const NUL = 'Must not contain a NUL character'

/** One fault is told at a time. */
export const SecretName = z
  .string()
  .trim()
  .min(1, { abort: true })
  .max(NAME_LENGTH_MAX, { abort: true })
  .refine((name) => !/[:/]/.test(name), { message: 'Secret name cannot contain colon or forward slash.', abort: true })
  .refine(withoutNul, NUL)

/** Of a secret that may be there. */
const Key = z.string().trim().min(1).refine(withoutNul, NUL)

export const NewByName = z.object({ secretName: SecretName })
export const ByName = z.object({ secretName: z.string().trim() })
export const ById = z.object({ secretId: z.string() })

const Value = z.string().transform(trimValue)
const Comment = z.string().trim()
const SecretType = z.enum(['shared', 'personal']).default('shared')
const Path = z.string().trim().max(PATH_LENGTH_MAX)

const MetadataItem = z.object({
  key: z.string().trim().min(1).max(METADATA_KEY_LENGTH_MAX).refine(withoutNul, NUL),
  value: z.string().max(METADATA_VALUE_LENGTH_MAX).refine(withoutNul, NUL).default(''),
  isEncrypted: z.boolean().default(false),
})

/** wire: clients that have nothing to say send null, 0 or an empty text. */
const details = {
  secretMetadata: z.array(MetadataItem).max(METADATA_MAX).nullish(),
  tagIds: z.array(z.string()).max(TAGS_MAX).nullish(),
  skipMultilineEncoding: z.boolean().nullish(),
  secretReminderNote: z.string().max(NOTE_LENGTH_MAX).refine(withoutNul, NUL).nullish(),
  secretReminderRepeatDays: z.number().int().min(0).max(REMINDER_DAYS_MAX).nullish(),
}
export type Details = z.infer<z.ZodObject<typeof details>>

const place = { environment: z.string().trim().describe('Slug of the environment'), secretPath: Path.default(ROOT) }
export const project = { projectId: z.string().trim().describe('Id of the project') }
/** wire: older words for the same, of which one is needed. */
export const workspace = {
  workspaceId: emptyAsAbsent(z.string().trim()),
  projectSlug: emptyAsAbsent(z.string().trim()),
}

const content = { ...details, secretValue: Value, secretComment: Comment.nullish() }
const changes = { ...details, secretValue: Value.nullish(), secretComment: Comment.nullish() }

const newSecret = { ...place, ...content, type: SecretType }
export const NewSecret = z.object({ ...project, ...newSecret })
export const NewWorkspaceSecret = z.object({ ...workspace, ...newSecret })

const secretChanges = { ...place, ...changes, newSecretName: SecretName.nullish(), type: SecretType }
export const SecretChanges = z.object({ ...project, ...secretChanges })
export const WorkspaceSecretChanges = z.object({ ...workspace, ...secretChanges })

const deletion = { ...place, type: SecretType }
export const SecretDeletion = z.object({ ...project, ...deletion })
export const WorkspaceSecretDeletion = z.object({ ...workspace, ...deletion })

const newSecrets = {
  ...place,
  secrets: z
    .array(z.object({ secretKey: SecretName, ...content }))
    .min(1)
    .max(BATCH_MAX),
}
export const NewSecrets = z.object({ ...project, ...newSecrets })
export const NewWorkspaceSecrets = z.object({ ...workspace, ...newSecrets })

const Change = z.object({
  secretKey: Key,
  secretPath: Path.optional(),
  newSecretName: SecretName.nullish(),
  ...changes,
})
const secretsChanges = {
  ...place,
  mode: z.enum(['failOnNotFound', 'ignore', 'upsert']).default('failOnNotFound'),
  secrets: z.array(Change).min(1).max(BATCH_MAX),
}
export const SecretsChanges = z.object({ ...project, ...secretsChanges })
export const WorkspaceSecretsChanges = z.object({ ...workspace, ...secretsChanges })

const deletions = {
  ...place,
  secrets: z
    .array(z.object({ secretKey: Key, type: SecretType }))
    .min(1)
    .max(BATCH_MAX),
}
export const SecretsDeletion = z.object({ ...project, ...deletions })
export const WorkspaceSecretsDeletion = z.object({ ...workspace, ...deletions })

/** `key=K1,value=V1|key=K2,value=V2`; what is incomplete is dropped. */
const MetadataFilter = z
  .string()
  .transform((text) =>
    text.split('|').flatMap((pair) => {
      const words = pair.split(/[,=]/).map((word) => word.trim())
      const after = (name: string) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined)
      const [key, value] = [after('key'), after('value')]
      return key && value ? [{ key, value }] : []
    }),
  )
  .refine((filters) => filters.length <= METADATA_FILTERS_MAX, 'At most ten pairs are allowed')

const TagSlugs = z.string().transform((text) =>
  text
    .split(',')
    .map((slug) => slug.trim())
    .filter((slug) => slug !== ''),
)

const reading = {
  environment: emptyAsAbsent(z.string().trim()),
  secretPath: emptyAsAbsent(Path).transform((path) => path ?? ROOT),
  viewSecretValue: QueryFlag.default(true),
  expandSecretReferences: QueryFlag.optional(),
  // wire: clients mix up the two spellings.
  includeImports: QueryFlag.optional(),
  include_imports: QueryFlag.optional(),
}
const listing = {
  ...reading,
  recursive: QueryFlag.default(false),
  tagSlugs: emptyAsAbsent(TagSlugs),
  metadataFilter: emptyAsAbsent(MetadataFilter),
}
const workspaceQuery = { ...workspace, workspaceSlug: emptyAsAbsent(z.string().trim()) }
const projectQuery = { projectId: emptyAsAbsent(z.string().trim()) }

export const ListQuery = z.object({
  ...projectQuery,
  ...listing,
  includePersonalOverrides: QueryFlag.default(false),
})
export const WorkspaceListQuery = z.object({ ...workspaceQuery, ...listing })

const getting = {
  ...reading,
  type: emptyAsAbsent(z.enum(['shared', 'personal'])).transform((type) => type ?? 'shared'),
  version: emptyAsAbsent(z.coerce.number().int().min(1).max(2_147_483_647)),
}
export const GetQuery = z.object({ ...projectQuery, ...getting })
export const WorkspaceGetQuery = z.object({ ...workspaceQuery, ...getting })

const DateTime = z.iso.datetime()
const DeletedSecret = z.object({
  id: z.uuid(),
  _id: z.uuid(),
  workspace: z.string(),
  environment: z.string(),
  version: z.number().int(),
  type: z.enum(['shared', 'personal']),
  secretKey: z.string(),
  secretValue: z.string(),
  secretComment: z.string(),
  secretReminderNote: z.string().nullable(),
  secretReminderRepeatDays: z.number().nullable(),
  skipMultilineEncoding: z.boolean().nullable(),
  createdAt: DateTime,
  updatedAt: DateTime,
})
const Secret = DeletedSecret.extend({ isRotatedSecret: z.boolean(), rotationId: z.uuid().nullable() })
const hidden = { secretValueHidden: z.boolean() }
const shown = {
  secretPath: z.string(),
  tags: z.array(z.object({ id: z.uuid(), slug: z.string(), color: z.string().nullable(), name: z.string() })),
  secretMetadata: z.array(z.object({ key: z.string(), value: z.string(), isEncrypted: z.boolean() })),
}
const ImportedSecret = Secret.omit({ createdAt: true, updatedAt: true }).extend({
  ...hidden,
  secretPath: z.string().optional(),
  secretMetadata: shown.secretMetadata,
})

export const VersionedSecret = Secret.extend(hidden)
export const CreatedSecret = z.object({ secret: Secret })
export const CreatedSecrets = z.object({ secrets: z.array(Secret) })
export const UpdatedSecret = z.object({ secret: VersionedSecret })
export const UpdatedSecrets = z.object({ secrets: z.array(VersionedSecret) })
export const DeletedSecretAnswer = z.object({ secret: DeletedSecret.extend(hidden) })
export const DeletedSecrets = z.object({ secrets: z.array(DeletedSecret.extend(hidden)) })
export const SecretAnswer = z.object({ secret: Secret.extend({ ...hidden, ...shown }) })
export const SecretByIdAnswer = z.object({ secret: Secret.extend(shown) })
export type ImportedBlock = z.infer<typeof ImportedBlock>
export const ImportedBlock = z.object({
  secretPath: z.string(),
  environment: z.string(),
  folderId: z.string(),
  secrets: z.array(ImportedSecret),
})
export const SecretList = z.object({
  secrets: z.array(Secret.extend({ ...shown, ...hidden })),
  imports: z.array(ImportedBlock),
})
