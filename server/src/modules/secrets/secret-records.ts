import type { AuditEvent } from '../audit/audit.service.ts'
import type { Spot } from './places.service.ts'
import { describedMetadata, type Secret } from './secret.ts'

type Where = Spot & { projectId: string }
type Written = Secret & { path?: string }
export type WriteVerb = 'create' | 'update' | 'delete'

/** What the log says of one written secret. */
export const recordOfOne = (verb: WriteVerb, { projectId, environment, path }: Where, secret: Written): AuditEvent => ({
  type: `${verb}-secret`,
  projectId,
  metadata: { environment, secretPath: secret.path ?? path, ...described(verb, secret) },
})

/** What the log says of several that were written together. */
export const recordOfMany = (
  verb: WriteVerb,
  { projectId, environment, path }: Where,
  secrets: readonly Written[],
): AuditEvent => ({
  type: `${verb}-secrets`,
  projectId,
  metadata: {
    environment,
    secretPath: path,
    secrets: secrets.map((secret) => ({
      ...described(verb, secret),
      ...(secret.path !== undefined && { secretPath: secret.path }),
    })),
  },
})

const described = (verb: WriteVerb, { id, key, version, metadata, tags }: Written) => ({
  secretId: id,
  secretKey: key,
  secretVersion: version,
  ...(verb !== 'delete' && {
    secretMetadata: describedMetadata(metadata),
    secretTags: tags.map(({ slug }) => slug),
  }),
})
