import { z } from 'zod'
import { Bytes, Uuid } from '../../../platform/http/wire-types.ts'
import { DateText, PathLength } from './authorities.schemas.ts'

/** Twenty large certificates with room to spare. */
const PEM_LENGTH_MAX = 200_000

const maxPathLength = PathLength.default(null).describe('Authorities that may stand below; -1: any number')
const Pem = z.string().trim().min(1).max(PEM_LENGTH_MAX)

export const OfAuthority = z.object({ caId: Uuid })
export const CertificateOfAuthority = z.object({ caId: Uuid, certId: Uuid })
export const DerOfAuthority = z.object({ caId: z.string().max(100), caCertId: z.string().max(100) })

export type NewCertificateBody = z.output<typeof NewCertificateBody>
export const NewCertificateBody = z.object({
  notBefore: DateText,
  notAfter: DateText,
  maxPathLength,
  parentCaId: z.string().max(100).optional().describe('Who signs; a root signs for itself'),
})

export type IntermediateBody = z.output<typeof IntermediateBody>
export const IntermediateBody = z.object({
  csr: Pem,
  notBefore: DateText.optional(),
  notAfter: DateText,
  maxPathLength,
})

export const ImportBody = z.object({ certificate: Pem, certificateChain: Pem })
export const RenewalBody = z.object({ type: z.enum(['existing']), notAfter: DateText })

export const SigningRequest = z.object({ csr: z.string() })
export const Imported = z.object({ message: z.string(), caId: z.string() })

export const PlainCertificate = z.object({
  certificate: z.string(),
  certificateChain: z.string(),
  serialNumber: z.string(),
})
export const Certificate = PlainCertificate.extend({ certId: z.string() })
export const CertificateDetails = Certificate.extend({
  notBefore: z.string().optional(),
  notAfter: z.string().optional(),
  maxPathLength: z.number().optional().describe('-1: no limit'),
  parentCaId: z.string().optional(),
})
export const CertificateVersions = z.array(Certificate.extend({ version: z.number().int() }))
export const PlainCertificateVersions = z.array(PlainCertificate.extend({ version: z.number().int() }))
export const Intermediate = PlainCertificate.extend({ issuingCaCertificate: z.string() })
export const Der = Bytes
