import { badRequest } from '../../../lib/app-error.ts'
import { readCertificate } from '../x509/certificate-reader.ts'
import { exportPublicKey, KEY_ALGORITHMS, type KeyAlgorithm } from '../x509/key-algorithms.ts'
import { describeName, type Subject } from '../x509/names.ts'
import { readPems } from '../x509/pem.ts'
import type { KeyUsage } from '../x509/usages.ts'

/** How long a certificate of an authority lasts, and how many authorities may stand below it: null for any number. */
export type Term = { notBefore: Date; notAfter: Date; pathLength: number | null }

/** Of an authority, in the words of its columns. */
export type DistinguishedName = {
  commonName: string
  organization: string
  ou: string
  country: string
  province: string
  locality: string
}

/** What stands above: the authority that is to sign. */
type Above = {
  ca: { name: string; status: string }
  validity: { notBefore: Date; notAfter: Date }
  pathLength: number | null
}

export const ROOT_USAGES: readonly KeyUsage[] = ['keyCertSign', 'cRLSign']
export const INTERMEDIATE_USAGES: readonly KeyUsage[] = [
  'keyCertSign',
  'cRLSign',
  'digitalSignature',
  'keyEncipherment',
]

/** Clocks differ: what is issued now must be valid for those who are a little behind. */
const BACKDATE_MS = 60_000
const SECOND_MS = 1_000

export const subjectOf = (name: DistinguishedName): Subject => ({
  commonName: name.commonName,
  organization: name.organization,
  organizationalUnit: name.ou,
  country: name.country,
  state: name.province,
  locality: name.locality,
})

/** RFC 5280 4.1.2.6: what an authority signs points at it by its name. */
export const requireNamed = (subject: Subject): void => {
  if (describeName(subject) === '') throw badRequest('The certificate of an authority needs a subject')
}

export const requireBuiltAlgorithm = (name: string): KeyAlgorithm => {
  const algorithm = KEY_ALGORITHMS.find((known) => known === name)
  if (algorithm) return algorithm
  throw badRequest(`Keys of kind ${name} are not built here: choose one of ${KEY_ALGORITHMS.join(', ')}`)
}

/** Certificates know no fractions of seconds. */
export const wholeSeconds = (date: Date): Date => new Date(Math.floor(date.getTime() / SECOND_MS) * SECOND_MS)

/** When something that is issued now begins, which is not before what stands above it. */
export const beginning = (now: Date, earliest?: Date): Date => {
  const backdated = wholeSeconds(new Date(now.getTime() - BACKDATE_MS))
  return earliest && earliest > backdated ? earliest : backdated
}

export const requireSpan = ({ notBefore, notAfter }: Pick<Term, 'notBefore' | 'notAfter'>, now: Date): void => {
  if (notBefore >= notAfter) throw badRequest('notBefore must be earlier than notAfter')
  if (notAfter <= now) throw badRequest('notAfter must lie in the future')
}

/** Throws unless an authority may sign another with this term. */
export const requireMaySign = ({ ca, validity, pathLength }: Above, term: Term, now: Date): void => {
  if (ca.status !== 'active') throw badRequest(`The certificate authority '${ca.name}' is not active`)
  if (validity.notAfter <= now) throw badRequest(`The certificate of the authority '${ca.name}' has expired`)
  requireSpan(term, now)
  if (term.notBefore < validity.notBefore) {
    throw badRequest(`notBefore must not be earlier than that of the signing authority '${ca.name}'`)
  }
  if (term.notAfter > validity.notAfter) {
    throw badRequest(`notAfter must not be later than that of the signing authority '${ca.name}'`)
  }
  requireDepth(ca.name, pathLength, term.pathLength)
}

const requireDepth = (name: string, above: number | null, wanted: number | null): void => {
  if (above === null) return
  if (above === 0) throw badRequest(`The path length of '${name}' allows no authority below it`)
  if (wanted === null || wanted >= above) {
    throw badRequest(`The path length must be at most ${above - 1}: '${name}' allows ${above} below itself`)
  }
}

/** Whether the owner of a key stands in a chain of authorities. */
export const isInChain = (chainPem: string, publicKey: Buffer): boolean =>
  readPems('CERTIFICATE', chainPem).some((der) => exportPublicKey(readCertificate(der).publicKey).equals(publicKey))
