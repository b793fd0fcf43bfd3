import pg from 'pg'
import { CertificateAuthority } from '../certificate-authority.ts'
import { sendEach } from '../load/each.ts'
import { CONNECTIONS } from '../measure-case.ts'
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
      await fill(target.own.databaseUrl, authority.id)
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

/** Through the API this would take hours. The serial numbers differ, the entries need not. */
const fill = async (databaseUrl: string, authorityId: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(
      `insert into revocations (ca_id, serial_number, revoked_at, reason, not_after, entry, listed_in)
      select $1, '5' || md5(i::text), now(), 4, '2100-01-01',
        decode('3021021005' || repeat('00', 15) || '170d3236313131353035303030305a', 'hex'), 1
      from generate_series(1, ${REVOKED_BEFORE}) i`,
      [authorityId],
    )
  } finally {
    await client.end()
  }
}
