import { PolicyService } from '../policies/policies.service.ts'
import { ProfileService } from '../profiles/profiles.service.ts'
import { CertificateImportService } from './certificate-import.service.ts'
import { CertificateIssuer } from './certificate-issuer.ts'
import { CertificateLookup } from './certificate-lookup.service.ts'
import { CertificateRequestService } from './certificate-requests.service.ts'
import { CertificateRevocationService } from './certificate-revocation.service.ts'
import { CertificateSearchService } from './certificate-search.service.ts'
import { CertificateService } from './certificates.service.ts'
import { DirectIssuanceService } from './direct-issuance.service.ts'
import { IssuanceService } from './issuance.service.ts'
import { RenewalService } from './renewal.service.ts'

/** What all of them stand on. */
type Ground = ConstructorParameters<typeof PolicyService>[0] &
  ConstructorParameters<typeof CertificateIssuer>[0] &
  Omit<ConstructorParameters<typeof CertificateRevocationService>[0], 'certificateLookup'>

/** Policies, profiles and certificates, wired by hand from left to right. */
export const createCertificateServices = (ground: Ground) => {
  const certificateLookup = new CertificateLookup(ground)
  const certificateIssuer = new CertificateIssuer(ground)
  const certificateProfiles = new ProfileService(ground)
  const shared = { ...ground, certificateLookup, certificateIssuer, certificateProfiles }
  const certificateIssuance = new IssuanceService(shared)
  return {
    certificatePolicies: new PolicyService(ground),
    certificateProfiles,
    certificates: new CertificateService(shared),
    certificateSearch: new CertificateSearchService(shared),
    certificateImports: new CertificateImportService(shared),
    certificateRequests: new CertificateRequestService(shared),
    certificateRevocations: new CertificateRevocationService(shared),
    certificateIssuance,
    certificateRenewals: new RenewalService({ ...shared, certificateIssuance }),
    directIssuance: new DirectIssuanceService({ ...shared, certificateIssuance }),
  }
}
