import { badRequest } from '../../../lib/app-error.ts'
import { isSelfSigned, readCertificate, verifyChain } from '../x509/certificate-reader.ts'
import { exportPublicKey } from '../x509/key-algorithms.ts'
import { describeName } from '../x509/names.ts'
import { readPems, toPem } from '../x509/pem.ts'
import { subjectOf } from './authority-rules.ts'
import type { AuthorityRow } from './authorities.store.ts'

type Pems = { certificate: string; certificateChain: string }

const CHAIN_LENGTH_MAX = 20

/** What an authority elsewhere made of our signing request. Throws unless all of it fits. */
export const requireImportable = (
  ca: AuthorityRow,
  { certificate, certificateChain }: Pems,
  now: Date,
): { der: Buffer; chain: string } => {
  if (ca.type === 'root') throw badRequest('A root signs its own certificate: none can be imported')
  if (ca.parentCaId !== null)
    throw badRequest('The authority has a certificate from a parent here: none can be imported')
  const [der, ...others] = readPems('CERTIFICATE', certificate)
  if (!der || others.length > 0) throw badRequest('The certificate must be one PEM block')
  const chain = readPems('CERTIFICATE', certificateChain)
  if (chain.length > CHAIN_LENGTH_MAX) throw badRequest(`The chain has more than ${CHAIN_LENGTH_MAX} certificates`)

  requireOwn(ca, der, now)
  requireWhole(der, chain)
  return { der, chain: chain.map((above) => toPem('CERTIFICATE', above)).join('') }
}

const requireOwn = (ca: AuthorityRow, der: Buffer, now: Date): void => {
  const read = readCertificate(der)
  if (!read.isCa || read.keyUsages?.includes('keyCertSign') === false) {
    throw badRequest('The certificate is not that of an authority')
  }
  if (!exportPublicKey(read.publicKey).equals(ca.publicKey)) {
    throw badRequest("The certificate is for another key than the authority's")
  }
  if (read.dn !== describeName(subjectOf(ca))) {
    throw badRequest(`The certificate is for '${read.dn}', the authority is '${ca.dn}'`)
  }
  if ((read.pathLength ?? null) !== ca.maxPathLength) {
    throw badRequest(
      `The path length of the certificate is ${describeDepth(read.pathLength)}, that of the authority ${describeDepth(ca.maxPathLength)}`,
    )
  }
  if (read.notAfter <= now) throw badRequest('The certificate has expired')
}

/** Up to a root, nothing left out. */
const requireWhole = (der: Buffer, chain: readonly Buffer[]): void => {
  const last = chain.at(-1)
  if (!last) throw badRequest('The chain must hold the certificates above, up to the root')
  if (!verifyChain(der, chain)) throw badRequest('The chain does not lead to the certificate')
  if (!isSelfSigned(last)) throw badRequest('The chain must go up to a root, which signs itself')
}

const describeDepth = (pathLength: number | null | undefined): string =>
  pathLength === null || pathLength === undefined ? 'unlimited' : String(pathLength)
