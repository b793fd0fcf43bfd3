import { inDays } from '../test-authorities.ts'
import { type Case, inProject, open, type Sent, signedIn, type Table, toAnyProject } from './case.ts'
import { another, authorityBody, profileBody, templateBody } from './certificates.ts'
import { fresh, type Furnishing } from './place.ts'

type Send = NonNullable<Case['send']>

const AUTHORITY_READERS = 'admin member viewer'
const CERTIFICATE_READERS = 'admin viewer'
const PROFILE_READERS = 'admin member'

/** wire: a project for certificates that there is none of is a bad request. */
const UNKNOWN = { unknownProject: 400 }

const inQuery: Send = ({ certProjectId }) => ({ query: { projectId: certProjectId } })
const inPath: Send = ({ certProjectId }) => ({ path: { projectId: certProjectId } })
const bySlug: Send = ({ certProjectSlug }) => ({ path: { slug: certProjectSlug } })
const asking =
  (send: Send, body: (of: Furnishing) => object): Send =>
  (of): Sent => ({ ...send(of), body: body(of) })
const nothing: Send = () => ({})

const byCaId: Send = ({ caId }) => ({ path: { id: caId, caId } })
const byPendingId: Send = ({ pendingCaId }) => ({ path: { id: pendingCaId, caId: pendingCaId } })
const byCaName: Send = ({ caName, certProjectId }) => ({ path: { caName }, query: { projectId: certProjectId } })

const authority = {
  list: (send: Send) => inProject(AUTHORITY_READERS, { ...UNKNOWN, send }),
  read: inProject(AUTHORITY_READERS, { send: byCaId }),
  create: inProject('admin', {
    ...UNKNOWN,
    send: asking(nothing, ({ certProjectId }) => authorityBody(certProjectId)),
  }),
  update: inProject('admin', { send: asking(byCaId, () => ({ status: 'active' })) }),
  delete: inProject('admin', { prepare: another.authority, send: byCaId }),
  csr: inProject('admin', { send: byPendingId }),
  generate: inProject('admin', {
    prepare: another.pending,
    send: asking(byPendingId, ({ caId }) => ({ parentCaId: caId, notBefore: inDays(0), notAfter: inDays(30) })),
  }),
  renew: inProject('admin', {
    prepare: another.authority,
    send: asking(byCaId, () => ({ type: 'existing', notAfter: inDays(3_700) })),
  }),
  signIntermediate: inProject('admin', { send: asking(byCaId, ({ csr }) => ({ csr, notAfter: inDays(30) })) }),
  import: inProject('admin', {
    prepare: another.signed,
    send: asking(byPendingId, ({ signedPem, signedChainPem }) => ({
      certificate: signedPem,
      certificateChain: signedChainPem,
    })),
  }),
  open: open(200, { send: ({ caId, caCertId }) => ({ path: { caId, caCertId, certId: caCertId } }) }),
}

const byId: Send = ({ certificateId }) => ({ path: { id: certificateId } })
const bySerial: Send = ({ serialNumber }) => ({ path: { serialNumber } })
const EC = { keyAlgorithm: 'EC_prime256v1', signatureAlgorithm: 'ECDSA-SHA256' }
const wish = ({ profileId }: Furnishing) => ({ profileId, commonName: 'svc.example.com', ttl: '5d' })

const certificate = {
  read: (send: Send) => inProject(CERTIFICATE_READERS, { send }),
  readKey: (send: Send) => inProject('admin', { send }),
  list: (send: Send) => inProject(CERTIFICATE_READERS, { ...UNKNOWN, send }),
  update: inProject('admin', { send: asking(byId, () => ({ metadata: [] })) }),
  configure: inProject('admin', { send: asking(byId, () => ({ renewBeforeDays: 1 })) }),
  renew: inProject('admin', { prepare: another.certificate, send: asking(byId, () => ({})) }),
  delete: (send: Send) => inProject('admin', { prepare: another.certificate, send }),
  revoke: (send: Send) => inProject('admin', { prepare: another.certificate, send: asking(send, () => ({})) }),
  issue: inProject('admin', { send: asking(nothing, (of) => ({ ...wish(of), ...EC })) }),
  sign: inProject('admin', { send: asking(nothing, (of) => ({ ...wish(of), csr: of.csr })) }),
}

const byPolicyId: Send = ({ policyId }) => ({ path: { id: policyId } })
const byProfileId: Send = ({ profileId }) => ({ path: { id: profileId } })
const byProfileSlug: Send = ({ profileSlug, certProjectId }) => ({
  path: { slug: profileSlug },
  query: { projectId: certProjectId },
})
const byTemplateId: Send = ({ templateId }) => ({ path: { certificateTemplateId: templateId } })

const profile = {
  list: inProject(PROFILE_READERS, { ...UNKNOWN, send: inQuery }),
  read: inProject(PROFILE_READERS, { send: byProfileId }),
  readBySlug: inProject(PROFILE_READERS, { ...UNKNOWN, send: byProfileSlug }),
  create: inProject('admin', { ...UNKNOWN, send: asking(nothing, (of) => profileBody(of.certProjectId, of)) }),
  update: inProject('admin', { send: asking(byProfileId, () => ({ description: 'changed' })) }),
  delete: inProject('admin', { prepare: another.profile, send: byProfileId }),
}

const publicList = open(200, { send: ({ crlId }) => ({ path: { crlId } }) })

export const IN_CERTIFICATES: Table = {
  getCertManagerInstance: signedIn(),
  setActiveCertManagerProject: toAnyProject('admin', {
    ...UNKNOWN,
    send: asking(nothing, ({ certProjectId }) => ({ projectId: certProjectId })),
  }),

  listCertificateAuthorities: authority.list(inQuery),
  listInternalCertificateAuthorities: authority.list(inQuery),
  listCas: authority.list(inQuery),
  listCasWithNames: authority.list(inQuery),
  listProjectCas: authority.list(inPath),
  listWorkspaceCas: authority.list(bySlug),
  getInternalCertificateAuthority: authority.read,
  getCa: authority.read,
  getCaByName: inProject(AUTHORITY_READERS, { ...UNKNOWN, send: byCaName }),
  createInternalCertificateAuthority: authority.create,
  createCaWithName: authority.create,
  createCa: inProject('admin', {
    send: asking(nothing, ({ certProjectSlug }) => ({
      projectSlug: certProjectSlug,
      ...{ type: 'root', commonName: fresh('Flat'), keyAlgorithm: 'EC_prime256v1', notAfter: inDays(100) },
      ...{ organization: '', ou: '', country: '', province: '', locality: '' },
    })),
  }),
  updateInternalCertificateAuthority: authority.update,
  updateCa: authority.update,
  updateCaByName: inProject('admin', { ...UNKNOWN, send: asking(byCaName, () => ({ status: 'active' })) }),
  deleteInternalCertificateAuthority: authority.delete,
  deleteCa: authority.delete,
  deleteCaByName: inProject('admin', { ...UNKNOWN, prepare: another.authority, send: byCaName }),
  getAuthoritySigningRequest: authority.csr,
  getCaCsr: authority.csr,
  getAuthorityAutoRenewal: authority.read,
  updateAuthorityAutoRenewal: inProject('admin', { send: asking(byCaId, () => ({ autoRenewalEnabled: false })) }),
  generateAuthorityCertificate: authority.generate,
  renewAuthorityCertificate: authority.renew,
  renewCaCert: authority.renew,
  signIntermediateAuthority: authority.signIntermediate,
  signIntermediateCa: authority.signIntermediate,
  importAuthorityCertificate: authority.import,
  importCaCert: authority.import,
  getCaCert: authority.read,
  listCaCerts: authority.read,
  listAuthorityRevocationLists: authority.read,
  listCaCrls: authority.read,
  getAuthorityCertificate: authority.open,
  getAuthorityCertificateById: authority.open,
  getAuthorityCertificateDer: authority.open,
  getCaCertDer: authority.open,
  listAuthorityCertificates: authority.open,
  getCrl: publicList,
  getCrlDer: publicList,
  getCrlPem: publicList,
  getDeltaCrl: publicList,
  getPkiCrl: publicList,
  getPkiCrlDer: publicList,
  askOcsp: open(200, { send: ({ caId }) => ({ path: { caId } }) }),

  listCertificatePolicies: inProject(AUTHORITY_READERS, { ...UNKNOWN, send: inQuery }),
  getCertificatePolicy: inProject(AUTHORITY_READERS, { send: byPolicyId }),
  createCertificatePolicy: inProject('admin', {
    ...UNKNOWN,
    send: asking(nothing, ({ certProjectId }) => ({ projectId: certProjectId, name: fresh('policy') })),
  }),
  updateCertificatePolicy: inProject('admin', { send: asking(byPolicyId, () => ({ description: 'changed' })) }),
  deleteCertificatePolicy: inProject('admin', { prepare: another.policy, send: byPolicyId }),

  listCertificateProfiles: profile.list,
  listPkiCertificateProfiles: profile.list,
  getCertificateProfile: profile.read,
  getPkiCertificateProfile: profile.read,
  getCertificateProfileBySlug: profile.readBySlug,
  getPkiCertificateProfileBySlug: profile.readBySlug,
  createCertificateProfile: profile.create,
  createPkiCertificateProfile: profile.create,
  updateCertificateProfile: profile.update,
  updatePkiCertificateProfile: profile.update,
  deleteCertificateProfile: profile.delete,
  deletePkiCertificateProfile: profile.delete,
  listCertificateProfileCertificates: profile.read,
  listPkiCertificateProfileCertificates: profile.read,
  // Of the certificate itself it tells whoever may read that.
  getCertificateProfileLatestBundle: profile.read,
  getPkiCertificateProfileLatestBundle: profile.read,

  getCertificateTemplate: inProject(CERTIFICATE_READERS, { send: byTemplateId }),
  createCertificateTemplate: inProject('admin', { send: asking(nothing, ({ caId }) => templateBody(caId)) }),
  updateCertificateTemplate: inProject('admin', { send: asking(byTemplateId, () => ({ ttl: '8d' })) }),
  deleteCertificateTemplate: inProject('admin', { prepare: another.template, send: byTemplateId }),

  listProjectCertificates: certificate.list(inPath),
  listWorkspaceCertificates: certificate.list(bySlug),
  searchCertificates: certificate.list(asking(inPath, () => ({}))),
  searchCertificateRequests: certificate.list(asking(nothing, ({ certProjectId }) => ({ projectId: certProjectId }))),
  getCertificateRequest: certificate.read(() => ({})),
  getCertificate: certificate.read(byId),
  getPkiCertificate: certificate.read(bySerial),
  getCertificateBody: certificate.read(byId),
  getPkiCertificateBody: certificate.read(bySerial),
  getCertificateBundle: certificate.readKey(byId),
  getPkiCertificateBundle: certificate.readKey(bySerial),
  getCertificatePrivateKey: certificate.readKey(byId),
  getPkiCertificatePrivateKey: certificate.readKey(bySerial),
  createCertificate: inProject('admin', {
    send: asking(nothing, ({ profileId }) => ({ profileId, attributes: { commonName: 'a.example.com', ttl: '5d' } })),
  }),
  issueCertificateFromProfile: certificate.issue,
  issuePkiCertificateFromProfile: certificate.issue,
  orderCertificateFromProfile: certificate.issue,
  orderPkiCertificateFromProfile: certificate.issue,
  signCertificateFromProfile: certificate.sign,
  signPkiCertificateFromProfile: certificate.sign,
  issuePkiCertificate: inProject('admin', {
    send: asking(nothing, ({ caId }) => ({ caId, commonName: 'direct.example.com', ttl: '5d' })),
  }),
  signPkiCertificate: inProject('admin', { send: asking(nothing, ({ caId, csr }) => ({ caId, csr, ttl: '5d' })) }),
  importCertificate: inProject('admin', {
    ...UNKNOWN,
    prepare: another.stranger,
    send: asking(nothing, (of) => ({ projectId: of.certProjectId, certificatePem: of.strangerPem })),
  }),
  importPkiCertificate: inProject('admin', {
    prepare: another.stranger,
    send: asking(nothing, (of) => ({ projectSlug: of.certProjectSlug, certificatePem: of.strangerPem })),
  }),
  updateCertificate: certificate.update,
  configureCertificate: certificate.configure,
  configurePkiCertificate: certificate.configure,
  renewCertificate: certificate.renew,
  renewPkiCertificate: certificate.renew,
  deleteCertificate: certificate.delete(byId),
  deletePkiCertificate: certificate.delete(bySerial),
  revokeCertificate: certificate.revoke(byId),
  revokePkiCertificate: certificate.revoke(bySerial),
  releaseCertificate: inProject('admin', { prepare: another.held, send: byId }),
}
