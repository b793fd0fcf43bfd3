import { issueCertificate } from '../../src/modules/pki/x509/certificate.ts'
import { generateKeyPair } from '../../src/modules/pki/x509/key-algorithms.ts'
import { toPem } from '../../src/modules/pki/x509/pem.ts'
import { newRoot, requestOf } from '../test-signers.ts'
import { CA, inDays } from '../test-authorities.ts'
import { CERTIFICATES, POLICIES, PROFILES } from '../test-certificates.ts'
import { fresh, type Place } from './place.ts'

export const authorityBody = (projectId: string, type: 'root' | 'intermediate' = 'root') => {
  const name = fresh('ca')
  const term = type === 'root' ? { notAfter: inDays(3_650) } : {}
  const configuration = { type, keyAlgorithm: 'EC_prime256v1', commonName: name, ...term }
  return { name, status: 'active', projectId, configuration }
}

const newAuthority = async (place: Place, projectId: string) => {
  const { id, name, configuration } = await place.post(CA, authorityBody(projectId))
  return { caId: id as string, caName: name as string, caCertId: configuration.activeCaCertId as string }
}

/** One that waits for its certificate, and its request for one. */
const newPending = async (place: Place, projectId: string) => {
  const { id } = await place.post(CA, authorityBody(projectId, 'intermediate'))
  const { csr } = await place.ask('GET', `${CA}/${id}/csr`)
  return { pendingCaId: id as string, csr: csr as string }
}

const newPolicy = async (place: Place, projectId: string) => {
  const { certificatePolicy } = await place.post(POLICIES, { name: fresh('policy'), projectId })
  return { policyId: certificatePolicy.id as string }
}

type Under = { caId: string; policyId: string }
export const profileBody = (projectId: string, { caId, policyId }: Under) => ({
  slug: fresh('profile'),
  projectId,
  caId,
  certificatePolicyId: policyId,
  apiConfig: { autoRenew: false },
})

const newProfile = async (place: Place, projectId: string, under: Under) => {
  const { certificateProfile } = await place.post(PROFILES, profileBody(projectId, under))
  return { profileId: certificateProfile.id as string, profileSlug: certificateProfile.slug as string }
}

export const templateBody = (caId: string) => ({
  caId,
  name: fresh('template'),
  commonName: '.*',
  subjectAlternativeName: '.*',
  ttl: '9d',
})

const newTemplate = async (place: Place, caId: string) => ({
  templateId: (await place.post('/api/v1/pki/certificate-templates', templateBody(caId))).id as string,
})

const newCertificate = async (place: Place, profileId: string) => {
  const attributes = { commonName: `${fresh('svc')}.example.com`, ttl: '5d' }
  const { certificate, certificateRequestId } = await place.post(CERTIFICATES, { profileId, attributes })
  const { certificateId, serialNumber } = certificate
  return { certificateId, serialNumber, requestId: certificateRequestId } as Record<CertificateName, string>
}

type CertificateName = 'certificateId' | 'serialNumber' | 'requestId'

/** Of an authority that nobody here knows. */
const newStranger = async () => {
  const keys = await generateKeyPair('EC_prime256v1')
  const der = issueCertificate(requestOf(keys), await newRoot('EC_prime256v1'))
  return { strangerPem: toPem('CERTIFICATE', der) }
}

/** A project for certificates, with one of everything in it. */
export const furnishCertificates = async (place: Place) => {
  const { project } = await place.post('/api/v1/projects', { projectName: 'Certificates', type: 'cert-manager' })
  const certProjectId = project.id as string
  const authority = await newAuthority(place, certProjectId)
  const stranger = await newStranger()
  const lists = await place.ask('GET', `${CA}/${authority.caId}/crls`)
  const policy = await newPolicy(place, certProjectId)
  const profile = await newProfile(place, certProjectId, { ...authority, ...policy })
  return {
    certProjectId,
    certProjectSlug: project.slug as string,
    ...authority,
    crlId: lists[0].id as string,
    ...(await newPending(place, certProjectId)),
    ...policy,
    ...profile,
    ...(await newTemplate(place, authority.caId)),
    ...(await newCertificate(place, profile.profileId)),
    ...stranger,
    signedPem: stranger.strangerPem,
    signedChainPem: stranger.strangerPem,
  }
}

/** Throw-away things, for calls that use them up. */
export const another = {
  authority: (place: Place) => newAuthority(place, place.has.certProjectId),
  pending: (place: Place) => newPending(place, place.has.certProjectId),
  /** One that waits, and the certificate that it waits for. */
  signed: async (place: Place) => {
    const pending = await newPending(place, place.has.certProjectId)
    const body = { csr: pending.csr, notAfter: inDays(30) }
    const { certificate, certificateChain } = await place.post(`${CA}/${place.has.caId}/sign-intermediate`, body)
    return { ...pending, signedPem: certificate as string, signedChainPem: certificateChain as string }
  },
  policy: (place: Place) => newPolicy(place, place.has.certProjectId),
  profile: (place: Place) => newProfile(place, place.has.certProjectId, place.has),
  template: (place: Place) => newTemplate(place, place.has.caId),
  certificate: (place: Place) => newCertificate(place, place.has.profileId),
  /** One that is revoked for the time being. */
  held: async (place: Place) => {
    const made = await newCertificate(place, place.has.profileId)
    await place.post(`${CERTIFICATES}/${made.certificateId}/revoke`, { revocationReason: 'CERTIFICATE_HOLD' })
    return made
  },
  stranger: newStranger,
}
