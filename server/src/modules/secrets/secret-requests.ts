import type { FastifyReply, FastifyRequest } from 'fastify'
import { holdsCurrent, notModified } from '../../platform/http/entity-tag.ts'
import { JSON_TYPE } from '../../platform/http/response-headers.ts'
import { tidyPath } from './folder-paths.ts'
import type { RenderedList } from './list-rendering.ts'
import { concealed, toDeletedSecret, toSecret } from './secret-views.ts'
import type { Outcome, SecretType } from './secret-writes.service.ts'
import type { Details } from './secrets.schemas.ts'

type Wire = Details & { secretComment?: string | null | undefined }
type Reading = { expandSecretReferences?: boolean | undefined; includeImports?: boolean | undefined } & {
  include_imports?: boolean | undefined
}

type Words = {
  workspaceId?: string | undefined
  workspaceSlug?: string | undefined
  projectSlug?: string | undefined
}

/** From the older words for a project. */
export const translated = <Rest extends Words>({ workspaceId, workspaceSlug, projectSlug, ...rest }: Rest) => ({
  ...rest,
  projectId: workspaceId,
  projectSlug: workspaceSlug ?? projectSlug,
})

/** From the words of the wire; what is null or empty there was left out. */
export const toDetails = (body: Wire) => ({
  comment: body.secretComment ?? undefined,
  metadata: body.secretMetadata ?? undefined,
  tagIds: body.tagIds ?? undefined,
  skipMultilineEncoding: body.skipMultilineEncoding ?? undefined,
  reminderNote: body.secretReminderNote === undefined ? undefined : body.secretReminderNote || null,
  reminderRepeatDays: body.secretReminderRepeatDays === undefined ? undefined : body.secretReminderRepeatDays || null,
})

type Change = Wire & { secretValue?: string | null | undefined; newSecretName?: string | null | undefined }

export const toChange = (body: Change) => ({
  ...toDetails(body),
  value: body.secretValue ?? undefined,
  newKey: body.newSecretName ?? undefined,
})

export const toWanted = (body: Wire & { secretKey: string; secretValue: string }) => ({
  ...toDetails(body),
  key: body.secretKey,
  value: body.secretValue,
})

export const toWantedChange = (body: Change & { secretKey: string; secretPath?: string | undefined }) => ({
  ...toChange(body),
  key: body.secretKey,
  path: body.secretPath === undefined ? undefined : tidyPath(body.secretPath),
})

export const toWantedDeletion = ({ secretKey, type }: { secretKey: string; type: SecretType }) => ({
  key: secretKey,
  type,
})

/** What is not said of reading means this in the older version, and the contrary in the present one. */
export const toReading = <Query extends Reading>(query: Query, unsaid: boolean) => ({
  ...query,
  expandSecretReferences: query.expandSecretReferences ?? unsaid,
  includeImports: query.includeImports ?? query.include_imports ?? unsaid,
})

export const toCreated = ({ secrets, ...where }: Outcome) => secrets.map(({ secret }) => toSecret(secret, where))

export const toUpdated = ({ secrets, ...where }: Outcome) =>
  secrets.map(({ secret, isReadable }) => shownIf(isReadable, toSecret(secret, where)))

export const toDeleted = ({ secrets, ...where }: Outcome) =>
  secrets.map(({ secret, isReadable }) => shownIf(isReadable, toDeletedSecret(secret, where)))

const shownIf = <S extends { secretValue: string }>(isReadable: boolean, secret: S) => {
  const shown = { ...secret, secretValueHidden: false }
  return isReadable ? shown : concealed(shown)
}

/** The one secret that a request for one was about. */
export const only = <T>(secrets: readonly T[]): T => {
  const [secret] = secrets
  if (secret === undefined) throw new Error('A request for one secret was answered with none')
  return secret
}

/** A list is written already, and may be what the client holds. */
export const sendList = (
  request: Pick<FastifyRequest, 'headers' | 'method'>,
  reply: FastifyReply,
  { tag, body }: RenderedList,
): FastifyReply =>
  holdsCurrent(request, tag)
    ? notModified(reply, tag)
    : reply.headers({ 'content-type': JSON_TYPE, etag: tag }).send(body())
