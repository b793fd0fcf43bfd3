import { CertificateAuthority } from '../certificate-authority.ts'
import { sendEach } from '../load/each.ts'
import { CONNECTIONS } from '../measure-case.ts'
import { fillRevoked } from '../revoked.ts'
import { openOwnTarget } from '../target.ts'
import type { Tenant } from '../tenant.ts'
import type { Figure, FigureCase, RequestCase } from './case.ts'

const sharedAuthority = (tenant: Tenant) => tenant.once('authority', () => CertificateAuthority.create(tenant))

export const certificateIssue: RequestCase = {
  name: 'certificate-issue',
  title: 'issue a certificate, P-256',
  ceiling: 'insert',
  goal: { share: 0.25 },
  prepare: async (tenant) => (await sharedAuthority(tenant)).issueRequest(),
}

export const revocationList: RequestCase = {
  name: 'crl',
  title: 'revocation list of an authority',
  ceiling: 'bare',
  goal: { share: 0.5 },
  prepare: async (tenant) => (await sharedAuthority(tenant)).listRequest(),
}

export const ocsp: RequestCase = {
  name: 'ocsp',
  title: 'OCSP answer',
  ceiling: 'select',
  goal: { share: 0.25 },
  prepare: async (tenant) => (await sharedAuthority(tenant)).statusRequest(),
}

const REVOKED = 500
const REVOKED_BEFORE = 100_000

/** Revocations with their answer, which waits for the list, when few have been revoked before and when very many have. */
export const revocations: FigureCase = {
  name: 'certificate-revoke',
  measure: async ({ signal }) => {
    const target = await openOwnTarget({ signal })
    try {
      const authority = await CertificateAuthority.create(target.tenant)
      const few = await revoke(target.tenant, authority, 'few revoked before')
      if (!target.own) return few
      await fillRevoked(target.own.databaseUrl, authority.id, { from: 0, to: REVOKED_BEFORE })
      return [...few, ...(await revoke(target.tenant, authority, '100,000 revoked before'))]
    } finally {
      await target.stop()
    }
  },
}

const revoke = async (tenant: Tenant, authority: CertificateAuthority, circumstances: string): Promise<Figure[]> => {
  const issued = await authority.issue(REVOKED)
  const requests = issued.map((certificate) => authority.revokeRequest(certificate))
  const { perSecond, milliseconds, errors } = await sendEach(tenant.api.url, requests, CONNECTIONS)
  return [
    { title: `revoke, ${circumstances}`, value: perSecond, unit: '/s' },
    { title: `revoke, ${circumstances}, p99`, value: milliseconds.p99, unit: 'ms', goalMax: 1_000 },
    { title: `revoke, ${circumstances}, errors`, value: errors, unit: 'answers', goalMax: 0 },
  ]
}
