import { CRUD, inKms, inScanning } from './subject.ts'

export const OTHER_PRODUCTS = {
  cmek: inKms.plain([
    ...CRUD,
    'encrypt',
    'decrypt',
    'sign',
    'verify',
    'generate-mac',
    'verify-mac',
    'rotate',
    'export-private-key',
  ]),
  kmip: inKms.plain([
    'create-clients',
    'update-clients',
    'delete-clients',
    'read-clients',
    'generate-client-certificates',
  ]),
  'secret-scanning-data-sources': inScanning.plain([
    'read-data-sources',
    'create-data-sources',
    'edit-data-sources',
    'delete-data-sources',
    'trigger-data-source-scans',
    'read-data-source-scans',
    'read-data-source-resources',
  ]),
  'secret-scanning-findings': inScanning.plain(['read-findings', 'update-findings']),
  'secret-scanning-configs': inScanning.plain(['read-configs', 'update-configs']),
} as const
