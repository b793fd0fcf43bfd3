import { KEY_ALGORITHMS, SIGNATURE_ALGORITHMS } from '../x509/key-algorithms.ts'

/** Policies may spell algorithms in a way of their own. */
const OTHER_SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['SHA256-RSA', 'RSA-SHA256'],
  ['SHA384-RSA', 'RSA-SHA384'],
  ['SHA512-RSA', 'RSA-SHA512'],
  ['SHA256-ECDSA', 'ECDSA-SHA256'],
  ['SHA384-ECDSA', 'ECDSA-SHA384'],
  ['SHA512-ECDSA', 'ECDSA-SHA512'],
  ['RSA-2048', 'RSA_2048'],
  ['RSA-3072', 'RSA_3072'],
  ['RSA-4096', 'RSA_4096'],
  ['ECDSA-P256', 'EC_prime256v1'],
  ['ECDSA-P384', 'EC_secp384r1'],
  ['ECDSA-P521', 'EC_secp521r1'],
])

/** As requests spell it. */
export const algorithmOf = (name: string): string => OTHER_SPELLINGS.get(name) ?? name

const known: ReadonlySet<string> = new Set([...KEY_ALGORITHMS, ...SIGNATURE_ALGORITHMS])

/** Whether there is such an algorithm, of keys or of signatures, in either spelling. */
export const isAlgorithm = (name: string): boolean => known.has(algorithmOf(name))
