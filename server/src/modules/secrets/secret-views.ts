import type { Secret } from './secret.ts'

/** wire: clients know a value that they may not see by this text. */
export const HIDDEN_VALUE = '<hidden-by-infisical>'

type Where = { projectId: string; environment: string; path: string }
export type ListedSecret = ReturnType<typeof toListedSecret>

/** In the words of the wire, and in its order. */
export const toDeletedSecret = (secret: Secret, { projectId, environment }: Omit<Where, 'path'>) => ({
  id: secret.id,
  _id: secret.id,
  workspace: projectId,
  environment,
  version: secret.version,
  type: secret.userId === null ? ('shared' as const) : ('personal' as const),
  secretKey: secret.key,
  secretValue: secret.value,
  secretComment: secret.comment,
  secretReminderNote: secret.reminderNote,
  secretReminderRepeatDays: secret.reminderRepeatDays,
  skipMultilineEncoding: secret.skipMultilineEncoding ?? false,
  createdAt: secret.createdAt.toISOString(),
  updatedAt: secret.updatedAt.toISOString(),
})

export const toSecret = (secret: Secret, where: Omit<Where, 'path'>) => ({
  ...toDeletedSecret(secret, where),
  // No secret is made by rotation here.
  isRotatedSecret: false,
  rotationId: null,
})

export const toListedSecret = (secret: Secret, where: Where) => ({
  ...toSecret(secret, where),
  secretPath: where.path,
  secretValueHidden: false,
  secretMetadata: secret.metadata,
  tags: secret.tags.map(({ id, slug, color }) => ({ id, slug, color, name: slug })),
})

/** What is shown of it to someone who may know of it but not read it. */
export const concealed = <S extends { secretValue: string; secretValueHidden: boolean }>(secret: S): S => ({
  ...secret,
  secretValue: HIDDEN_VALUE,
  secretValueHidden: true,
})

/** The same secret seen from a folder that imports it. */
export const toImportedSecret = (secret: ListedSecret, importingPath: string | undefined) => ({
  ...secret,
  workspace: '',
  // What is undefined does not leave.
  createdAt: undefined,
  updatedAt: undefined,
  tags: undefined,
  secretPath: importingPath,
})
