import { AuthorityService } from '../modules/pki/authorities/authorities.service.ts'
import { AuthorityCertificateService } from '../modules/pki/authorities/authority-certificates.service.ts'
import { AuthorityInstaller } from '../modules/pki/authorities/authority-installer.ts'
import { AuthorityKeys } from '../modules/pki/authorities/authority-keys.ts'
import { AuthorityLookup } from '../modules/pki/authorities/authority-lookup.service.ts'
import { AutoRenewalService } from '../modules/pki/authorities/auto-renewals.service.ts'
import { createCertificateServices } from '../modules/pki/certificates/certificate-services.ts'
import { KeyBox } from '../modules/pki/key-box.ts'
import { CertManagerProjects } from '../modules/pki/projects/cert-manager-projects.service.ts'
import { OcspService } from '../modules/pki/revocation/ocsp.service.ts'
import { PublishedLists } from '../modules/pki/revocation/published-lists.service.ts'
import { Responders } from '../modules/pki/revocation/responders.ts'
import { Revocations } from '../modules/pki/revocation/revocations.service.ts'
import { TemplateService } from '../modules/pki/templates/templates.service.ts'
import type { ProjectService } from '../modules/projects/projects.service.ts'
import type { Base } from './base.ts'

/** Certificates, who signs them and what is taken back. */
export const createCertificates = (base: Base & { projects: ProjectService }) => {
  const keyBox = new KeyBox(base)
  const authorityKeys = new AuthorityKeys({ ...base, keyBox })
  const revocations = new Revocations({ ...base, signers: authorityKeys })
  const authorityLookup = new AuthorityLookup(base)
  const authorityInstaller = new AuthorityInstaller(base)
  const shared = { ...base, keyBox, authorityKeys, revocations, authorityLookup, authorityInstaller }
  const authorityCertificates = new AuthorityCertificateService(shared)
  const certManagerProjects = new CertManagerProjects(base)
  return {
    certManagerProjects,
    ...createCertificateServices({ ...shared, certManagerProjects }),
    revocations,
    publishedLists: new PublishedLists(base),
    ocsp: new OcspService({ ...base, responders: new Responders({ ...base, signers: authorityKeys }) }),
    authorities: new AuthorityService(shared),
    authorityCertificates,
    authorityRenewals: new AutoRenewalService({ ...shared, authorityCertificates }),
    certificateTemplates: new TemplateService(shared),
  }
}
