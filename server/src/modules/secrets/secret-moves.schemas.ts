import { z } from 'zod'
import { ROOT } from './folder-paths.ts'
import { project } from './secrets.schemas.ts'

const IDS_MAX = 1_000
const DUPLICATES_MAX = 50

const Path = z.string().trim().max(4_000).default(ROOT)
const transfer = {
  sourceEnvironment: z.string().trim(),
  sourceSecretPath: Path,
  destinationEnvironment: z.string().trim(),
  destinationSecretPath: Path,
  shouldOverwrite: z.boolean().default(false),
}
const moving = { ...transfer, secretIds: z.array(z.string()).min(1).max(IDS_MAX) }

export type Move = z.infer<typeof Move>
export const Move = z.object({ ...project, ...moving })
export const WorkspaceMove = z.object({ projectSlug: z.string().trim(), ...moving })

const Copied = z.boolean().default(false)
export const Duplication = z.object({
  ...project,
  ...transfer,
  secretIds: z.array(z.guid()).min(1).max(DUPLICATES_MAX),
  attributesToCopy: z
    .object({ value: Copied, comment: Copied, tags: Copied, metadata: Copied, skipMultilineEncoding: Copied })
    .prefault({}),
})

export const MoveAnswer = z.object({ isSourceUpdated: z.boolean(), isDestinationUpdated: z.boolean() })
export const DuplicationAnswer = z.object({
  results: z.array(z.object({ sourceSecretId: z.uuid(), sourceSecretKey: z.string(), destinationSecretId: z.uuid() })),
})
