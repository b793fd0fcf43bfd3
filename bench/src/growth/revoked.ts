import { CertificateAuthority } from '../certificate-authority.ts'
import { fillRevoked } from '../revoked.ts'
import { Skipped } from '../skipped.ts'
import type { Series } from './series.ts'

export const revoked: Series = {
  title: 'revoked certificates',
  sizes: [1, 1_000, 10_000, 100_000],
  prepare: async (tenant, databaseUrl) => {
    if (databaseUrl === undefined) throw new Skipped('not measured: only on a server of its own')
    const authority = await CertificateAuthority.create(tenant)
    const requests = {
      'status of one (OCSP)': await authority.statusRequest(),
      'list of all': await authority.listRequest(),
      'issue one': authority.issueRequest(),
    }
    let count = 0
    return {
      growTo: async (size) => {
        await fillRevoked(databaseUrl, authority.id, { from: count, to: size - 1 })
        // The list is made anew for one that is revoked as everybody does it.
        const [certificate] = await authority.issue(1)
        if (certificate) await tenant.api.send(authority.revokeRequest(certificate))
        count = size
      },
      requests: () => Promise.resolve(requests),
    }
  },
}
