import { startPkiServer, type TestAuthorities } from './test-authorities.ts'
import { expect200 } from './test-machines.ts'
import { fresh } from './test-members.ts'
import { createMemberWithRules } from './test-privileges.ts'
import { createMember } from './test-projects.ts'
import type { Answer, TestServer } from './test-server.ts'

export const CERTIFICATES = '/api/v1/cert-manager/certificates'
export const POLICIES = '/api/v1/cert-manager/certificate-policies'
export const PROFILES = '/api/v1/cert-manager/certificate-profiles'

type Rules = Parameters<typeof createMemberWithRules>[2]

/** A server with a project for certificates, and everything that is needed to issue some. */
export const startCertificateServer = async () => {
  const pkiServer = await startPkiServer()
  const { server, admin, db, project, authorities } = pkiServer
  const place = { db, projectId: project.id }
  return {
    ...pkiServer,
    token: admin.token,
    pki: new TestPki({ server, token: admin.token, projectId: project.id, authorities }),
    /** Someone with this role in the project. */
    member: (role: string) => createMember(server, admin, { ...place, role }),
    /** Someone who may do just this. */
    ruled: (...rules: Rules) => createMemberWithRules(server, { admin, ...place }, rules),
  }
}

type Wish = Record<string, unknown>
type Ground = { server: TestServer; token: string; projectId: string; authorities: TestAuthorities }
type ProfileWish = { caId?: string; certificatePolicyId?: string; [setting: string]: unknown }

/** Makes authorities, policies, profiles and certificates of one project. */
export class TestPki {
  readonly #ground: Ground

  constructor(ground: Ground) {
    this.#ground = ground
  }

  post = (path: string, body: object): Promise<Answer> =>
    this.#ground.server.post(path, body, { token: this.#ground.token })

  /** The id of a root that can issue. */
  root = async (wish: Wish = {}): Promise<string> => (await this.#ground.authorities.create(wish)).id

  /** The id of an authority under another, with its certificate for 30 days unless it says otherwise. */
  intermediate = async (parentCaId: string, wish: Wish = {}, term: object = {}): Promise<string> =>
    (await this.#ground.authorities.createUnder(parentCaId, wish, term)).id

  async policy(rules: object = {}): Promise<string> {
    const { projectId } = this.#ground
    const answer = await this.post(POLICIES, { name: fresh('policy'), projectId, ...rules })
    return expect200(answer).body.certificatePolicy.id as string
  }

  /** The id of a profile that issues, of a policy that admits everything unless one is given. */
  async profile({ certificatePolicyId, ...rest }: ProfileWish): Promise<string> {
    const answer = await this.post(PROFILES, {
      slug: fresh('profile'),
      projectId: this.#ground.projectId,
      certificatePolicyId: certificatePolicyId ?? (await this.policy()),
      apiConfig: { autoRenew: false },
      ...rest,
    })
    return expect200(answer).body.certificateProfile.id as string
  }

  order(profileId: string, attributes: object = {}, rest: object = {}): Promise<Answer> {
    const asked = { commonName: `${fresh('svc')}.example.com`, ttl: '10d', ...attributes }
    return this.post(CERTIFICATES, { profileId, attributes: asked, ...rest })
  }

  async issue(profileId: string, attributes: object = {}, rest: object = {}): Promise<IssuedBody> {
    return expect200(await this.order(profileId, attributes, rest)).body.certificate as IssuedBody
  }
}

export type IssuedBody = {
  certificate: string
  issuingCaCertificate: string
  certificateChain: string
  privateKey: string
  serialNumber: string
  certificateId: string
}
