import { z } from 'zod'
import { isSlug } from '../../lib/slug.ts'

/** Longer than any of ours; longer ones are refused before anything is computed. */
const CREDENTIAL_LENGTH_MAX = 1_000
const SLUG_LENGTH_MAX = 64

export type Credentials = z.output<typeof Credentials>
export const Credentials = z.object({
  clientId: z.string().trim().max(CREDENTIAL_LENGTH_MAX),
  clientSecret: z.string().trim().max(CREDENTIAL_LENGTH_MAX),
  organizationSlug: z
    .string()
    .trim()
    .min(1)
    .max(SLUG_LENGTH_MAX)
    .refine(isSlug, 'Must be a slug: lower-case letters and digits, in words joined by hyphens')
    .optional()
    .describe('Organization that the token is to be for, if it is not the one of the identity'),
})
