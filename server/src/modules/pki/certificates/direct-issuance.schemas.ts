import { z } from 'zod'
import { DateText } from '../authorities/authorities.schemas.ts'
import { EXTENDED_KEY_USAGES, KEY_USAGES } from '../x509/usages.ts'
import { Csr, Ttl } from './issuance.schemas.ts'

const NAME_LENGTH_MAX = 255
const ALT_NAMES_LENGTH_MAX = 4_096

const order = {
  caId: z.string().trim().min(1).max(100).optional(),
  certificateTemplateId: z.string().trim().min(1).max(100).optional(),
  pkiCollectionId: z.string().max(100).optional(),
  friendlyName: z.string().trim().max(NAME_LENGTH_MAX).optional(),
  altNames: z.string().trim().max(ALT_NAMES_LENGTH_MAX).default('').describe('Separated by commas'),
  ttl: Ttl,
  notBefore: DateText.optional(),
  notAfter: z.undefined({ error: 'Say a ttl instead' }).optional(),
  keyUsages: z.array(z.enum(KEY_USAGES)).max(KEY_USAGES.length).optional(),
  extendedKeyUsages: z.array(z.enum(EXTENDED_KEY_USAGES)).max(EXTENDED_KEY_USAGES.length).optional(),
}

export const DirectOrder = z.object({ ...order, commonName: z.string().trim().min(1).max(NAME_LENGTH_MAX) })
export const DirectSigningOrder = z.object({
  ...order,
  csr: Csr,
  commonName: z.string().trim().min(1).max(NAME_LENGTH_MAX).optional(),
})

const issued = {
  certificate: z.string(),
  issuingCaCertificate: z.string(),
  certificateChain: z.string(),
  serialNumber: z.string(),
}
export const DirectAnswer = z.object({ ...issued, privateKey: z.string().optional() })
export const DirectSigningAnswer = z.object(issued)
