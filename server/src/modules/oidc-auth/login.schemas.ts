import { z } from 'zod'
import { Credentials } from '../universal-auth/login.schemas.ts'

/** Tokens of providers that list hundreds of groups stay below. */
const JWT_LENGTH_MAX = 65_536
/** Longer than any id; what is no id is not found. */
const ID_LENGTH_MAX = 1_000

export type PresentedIdentity = z.output<typeof PresentedIdentity>
export const PresentedIdentity = z.object({
  identityId: z.string().trim().max(ID_LENGTH_MAX).describe('Id of the machine identity to log in as'),
  jwt: z.string().trim().max(JWT_LENGTH_MAX).describe('A JWT of the OpenID provider that the identity is bound to'),
  organizationSlug: Credentials.shape.organizationSlug,
})
