import type { CertificateFilter } from './certificate-search.store.ts'

export const SORT_KEYS = ['notAfter', 'notBefore', 'createdAt', 'commonName', 'keyAlgorithm', 'status'] as const

/** What may be searched for, in the words of the wire. */
export type CertificateSearch = {
  offset: number
  limit: number
  friendlyName?: string | undefined
  commonName?: string | undefined
  search?: string | undefined
  status?: string[] | undefined
  profileIds?: string[] | undefined
  caIds?: string[] | undefined
  fromDate?: Date | undefined
  toDate?: Date | undefined
  metadata?: { key: string; value?: string | undefined }[] | undefined
  extendedKeyUsage?: string | undefined
  keyAlgorithm?: string[] | undefined
  signatureAlgorithm?: string | undefined
  keySizes?: number[] | undefined
  enrollmentTypes?: string[] | undefined
  source?: string[] | undefined
  notAfterFrom?: Date | undefined
  notAfterTo?: Date | undefined
  notBeforeFrom?: Date | undefined
  notBeforeTo?: Date | undefined
  applicationId?: string | undefined
  applicationIds?: string[] | undefined
  sortBy?: (typeof SORT_KEYS)[number] | undefined
  sortOrder?: 'asc' | 'desc' | undefined
}

const ALGORITHMS_BY_SIZE: ReadonlyMap<number, string> = new Map([
  [2048, 'RSA_2048'],
  [3072, 'RSA_3072'],
  [4096, 'RSA_4096'],
  [256, 'EC_prime256v1'],
  [384, 'EC_secp384r1'],
  [521, 'EC_secp521r1'],
])

/** An empty list asks for nothing in particular. */
const listed = <Item>(items: readonly Item[] | undefined) => (items && items.length > 0 ? items : undefined)

export const filterOf = (search: CertificateSearch): CertificateFilter => {
  const enrollments = listed(search.enrollmentTypes)
  return {
    friendlyName: search.friendlyName,
    commonName: search.commonName,
    search: search.search,
    statuses: listed(search.status),
    profileIds: listed(search.profileIds),
    caIds: listed(search.caIds),
    metadata: search.metadata?.map(({ key, value }) => (value === undefined ? { key } : { key, value })),
    extendedKeyUsage: search.extendedKeyUsage,
    keyAlgorithms: listed(search.keyAlgorithm),
    keySizes: listed(search.keySizes)?.map((size) => ALGORITHMS_BY_SIZE.get(size) ?? ''),
    signatureAlgorithm: search.signatureAlgorithm,
    sources: listed(search.source),
    // There are neither applications nor other ways of enrolment.
    isPossible:
      search.applicationId === undefined && !listed(search.applicationIds) && (enrollments?.includes('api') ?? true),
    hasProfile: enrollments !== undefined,
    created: { from: search.fromDate, to: search.toDate },
    notAfter: { from: search.notAfterFrom, to: search.notAfterTo },
    notBefore: { from: search.notBeforeFrom, to: search.notBeforeTo },
  }
}
