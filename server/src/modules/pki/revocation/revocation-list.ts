import type { Issuer } from '../x509/certificate.ts'
import { issuerOf } from '../x509/certificate-parts.ts'
import { bitString, context, integer, sequence, time } from '../x509/der.ts'
import { authorityKeyIdentifier, distributionPoints, EXTENSION, extension } from '../x509/extensions.ts'
import { defaultSignatureAlgorithm, encodeSignatureAlgorithm, signInPool } from '../x509/key-algorithms.ts'

export type RevocationList = {
  number: number
  thisUpdate: Date
  nextUpdate: Date
  /** Those of list-entry.ts, one after the other. */
  entries: Buffer
} & (
  | {
      kind: 'full'
      /** Where the delta is. */
      deltaUrl: string
    }
  | {
      kind: 'delta'
      /** The full list that it adds to. */
      baseNumber: number
    }
)

const VERSION_2 = integer(1)

/** The DER of a list (RFC 5280 5) under the name of `issuer`, byte for byte that of its certificate. */
export const signRevocationList = async (list: RevocationList, issuer: Issuer): Promise<Buffer> => {
  const { name, keyIdentifier } = issuerOf(issuer.certificate)
  const algorithm = defaultSignatureAlgorithm(issuer.keyAlgorithm)
  const body = sequence(
    VERSION_2,
    encodeSignatureAlgorithm(algorithm),
    name,
    time(list.thisUpdate),
    time(list.nextUpdate),
    ...(list.entries.length === 0 ? [] : [sequence(list.entries)]),
    context(0, sequence(...extensionsOf(list, keyIdentifier))),
  )
  const signature = await signInPool(algorithm, issuer.key, body)
  return sequence(body, encodeSignatureAlgorithm(algorithm), bitString(signature))
}

const extensionsOf = (list: RevocationList, keyIdentifier: Buffer): Buffer[] => [
  authorityKeyIdentifier(keyIdentifier),
  extension(EXTENSION.crlNumber, integer(list.number)),
  list.kind === 'full'
    ? distributionPoints(EXTENSION.freshestCrl, [list.deltaUrl])
    : extension(EXTENSION.deltaCrlIndicator, integer(list.baseNumber), { isCritical: true }),
]
