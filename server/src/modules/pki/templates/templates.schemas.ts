import { z } from 'zod'
import { parseDurationMs } from '../../../lib/duration.ts'
import { slugOf } from '../../projects/projects.schemas.ts'
import { EXTENDED_KEY_USAGES, KEY_USAGES } from '../x509/usages.ts'

const PATTERN_LENGTH_MAX = 100
const TTL_LENGTH_MAX = 32

const CaId = z.string().max(100).describe('Id of the certificate authority')
const Name = slugOf({ min: 1, max: 64 })
const Pattern = z.string().trim().min(1).max(PATTERN_LENGTH_MAX).describe('A regular expression')
const Ttl = z
  .string()
  .trim()
  .max(TTL_LENGTH_MAX)
  .refine((text) => parseDurationMs(text) !== undefined, 'Must be a duration such as 90d')
  .describe('The longest that a certificate may last')
const KeyUsages = z.array(z.enum(KEY_USAGES)).max(KEY_USAGES.length)
const ExtendedKeyUsages = z.array(z.enum(EXTENDED_KEY_USAGES)).max(EXTENDED_KEY_USAGES.length)

export const ByTemplateId = z.object({ certificateTemplateId: z.string().max(100) })

export const NewTemplate = z.object({
  caId: CaId,
  name: Name,
  commonName: Pattern,
  subjectAlternativeName: Pattern,
  ttl: Ttl,
  keyUsages: KeyUsages.default(['digitalSignature', 'keyEncipherment']),
  extendedKeyUsages: ExtendedKeyUsages.default([]),
})

export const TemplateChanges = z.object({
  caId: CaId.optional(),
  name: Name.optional(),
  commonName: Pattern.optional(),
  subjectAlternativeName: Pattern.optional(),
  ttl: Ttl.optional(),
  keyUsages: KeyUsages.optional(),
  extendedKeyUsages: ExtendedKeyUsages.optional(),
})

export const Template = z.object({
  id: z.string(),
  caId: z.string(),
  name: z.string(),
  commonName: z.string(),
  subjectAlternativeName: z.string(),
  pkiCollectionId: z.string().nullable(),
  ttl: z.string(),
  keyUsages: z.array(z.string()),
  extendedKeyUsages: z.array(z.string()),
  projectId: z.string(),
  caName: z.string(),
})
