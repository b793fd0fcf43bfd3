import { inParallel } from './api.ts'
import { ocspRequest } from './ocsp-request.ts'
import type { Request } from './load/request.ts'
import type { Tenant } from './tenant.ts'

const PATH = '/api/v1/cert-manager'
const DAY_MS = 86_400_000

export type IssuedCertificate = { id: string; serialNumber: string }

/** A root authority with a profile by which everybody may have certificates. */
export class CertificateAuthority {
  readonly id: string
  readonly #tenant: Tenant
  readonly #profileId: string

  private constructor(tenant: Tenant, id: string, profileId: string) {
    this.#tenant = tenant
    this.id = id
    this.#profileId = profileId
  }

  static async create(tenant: Tenant): Promise<CertificateAuthority> {
    const project = await tenant.post('/api/v1/projects', { projectName: 'Certificates', type: 'cert-manager' })
    const projectId = project.text('project.id')
    const authority = await tenant.post(`${PATH}/ca/internal`, {
      projectId,
      name: 'bench',
      status: 'active',
      configuration: {
        type: 'root',
        keyAlgorithm: 'EC_prime256v1',
        commonName: 'Bench',
        notAfter: new Date(Date.now() + 3_650 * DAY_MS).toISOString(),
      },
    })
    const policy = await tenant.post(`${PATH}/certificate-policies`, { projectId, name: 'bench' })
    const profile = await tenant.post(`${PATH}/certificate-profiles`, {
      projectId,
      slug: 'bench',
      certificatePolicyId: policy.text('certificatePolicy.id'),
      caId: authority.text('id'),
      enrollmentType: 'api',
      apiConfig: { autoRenew: false },
    })
    return new CertificateAuthority(tenant, authority.text('id'), profile.text('certificateProfile.id'))
  }

  issueRequest(): Request {
    const attributes = { commonName: 'host-{n}.example.com', ttl: '90d', keyAlgorithm: 'EC_prime256v1' }
    return {
      method: 'POST',
      path: `${PATH}/certificates`,
      token: this.#tenant.token,
      body: { profileId: this.#profileId, attributes },
    }
  }

  async issue(count: number): Promise<IssuedCertificate[]> {
    const issued: IssuedCertificate[] = []
    await inParallel({ from: 0, to: count }, async (number) => {
      const { body = {}, path } = this.issueRequest()
      const text = JSON.stringify(body).replaceAll('{n}', String(number))
      const answer = await this.#tenant.post(path, JSON.parse(text) as object)
      issued.push({
        id: answer.text('certificate.certificateId'),
        serialNumber: answer.text('certificate.serialNumber'),
      })
    })
    return issued
  }

  revokeRequest({ id }: IssuedCertificate): Request {
    return {
      method: 'POST',
      path: `${PATH}/certificates/${id}/revoke`,
      token: this.#tenant.token,
      body: { revocationReason: 'SUPERSEDED' },
    }
  }

  /** What a validator asks about one certificate. */
  async statusRequest(): Promise<Request> {
    const [certificate] = await this.issue(1)
    const authority = await this.#tenant.api.get(`${PATH}/ca/internal/${this.id}/certificate`, this.#tenant.token)
    const question = await ocspRequest(authority.text('certificate'), certificate?.serialNumber ?? '')
    const path = `/api/x/ocsp/${this.id}/${encodeURIComponent(question.toString('base64'))}`
    return { method: 'GET', path }
  }

  async listRequest(): Promise<Request> {
    const answer = await this.#tenant.api.get(`${PATH}/ca/internal/${this.id}/crls`, this.#tenant.token)
    return { method: 'GET', path: `${PATH}/crl/${answer.text('0.id')}/der` }
  }
}
