import { z } from 'zod'
import { ProjectSlug } from '../../projects/projects.schemas.ts'
import {
  AuthorityChangesBody,
  AuthorityName,
  AuthorityStatus,
  DateText,
  FlatAuthority,
  isNamed,
  KeyAlgorithm,
  NewAuthorityBody,
  PathLength,
  Text,
  UNNAMED,
} from './authorities.schemas.ts'

/** An authority as older clients ask for it: no name of its own, and its settings side by side. */
export type NewFlatAuthority = z.output<typeof NewFlatAuthority>
export const NewFlatAuthority = z
  .object({
    projectSlug: ProjectSlug,
    type: z.enum(['root', 'intermediate']),
    friendlyName: Text.default(''),
    commonName: Text,
    organization: Text,
    ou: Text,
    country: Text,
    province: Text,
    locality: Text,
    notBefore: DateText.optional(),
    notAfter: DateText.optional(),
    maxPathLength: PathLength.default(null),
    keyAlgorithm: KeyAlgorithm.default('RSA_2048'),
    requireTemplateForIssuance: z.boolean().default(false),
  })
  .refine(isNamed, UNNAMED)

export const FlatChanges = z.object({
  status: AuthorityStatus.extract(['active', 'disabled']).optional(),
  requireTemplateForIssuance: z.boolean().optional(),
})

export const ByName = z.object({ caName: AuthorityName })
/** The project may be named in the query or in the body. */
export const ProjectBody = z.object({ projectId: z.string().max(100).optional() })
export const NamedChanges = AuthorityChangesBody.extend(ProjectBody.shape)
export const NewNamedAuthority = NewAuthorityBody

export const ByProjectId = z.object({ projectId: z.string().max(100) })
export const ByProjectSlug = z.object({ slug: ProjectSlug })

export const FlatAuthorityAnswer = z.object({ ca: FlatAuthority })
export const FlatAuthorityList = z.object({ cas: z.array(FlatAuthority) })
