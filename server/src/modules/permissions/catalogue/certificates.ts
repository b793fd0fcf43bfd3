import { BY_CERTIFICATE, BY_NAME, BY_PKI_SYNC, BY_SLUG, BY_SUBSCRIBER } from './condition-sets.ts'
import { CRUD, inCertificates } from './subject.ts'

const { plain, conditional } = inCertificates

export const CERTIFICATES = {
  'pki-subscribers': conditional([...CRUD, 'issue-cert', 'list-certs'], BY_SUBSCRIBER),
  'certificate-templates': conditional([...CRUD, 'issue-cert', 'list-certs'], BY_NAME),
  'pki-syncs': conditional(
    [...CRUD, 'sync-certificates', 'import-certificates', 'remove-certificates', 'set-post-sync-command'],
    BY_PKI_SYNC,
  ),
  'certificate-profiles': conditional(
    [...CRUD, 'issue-cert', 'reveal-acme-eab-secret', 'rotate-acme-eab-secret', 'manage-application-attachments'],
    BY_SLUG,
  ),
  'certificate-policies': conditional(CRUD, BY_NAME),
  'certificate-authorities': conditional([...CRUD, 'issue-ca-certificate', 'sign-intermediate'], BY_NAME),
  certificates: conditional([...CRUD, 'read-private-key', 'import'], BY_CERTIFICATE),
  'pki-alerts': plain(CRUD),
  'pki-collections': plain(CRUD),
  'certificate-inventory-views': plain(CRUD),
  'pki-discovery': plain([...CRUD, 'run-scan']),
  'pki-certificate-installations': plain(['read', 'edit', 'delete']),
  'code-signers': plain([...CRUD, 'sign']),
  'hsm-connectors': plain([
    'read-hsm-connectors',
    'create-hsm-connectors',
    'edit-hsm-connectors',
    'delete-hsm-connectors',
    'test-hsm-connectors',
    'attach-hsm-connectors',
  ]),
} as const

/** Held through predefined roles only: rules of a privilege or role cannot name it. */
export const ROLE_ONLY = {
  'certificate-application': plain(['read', 'list', 'create']),
} as const
