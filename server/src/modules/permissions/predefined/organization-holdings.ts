import { type OrganizationSubjects, ORGANIZATION_SUBJECTS } from '../catalogue/organization.ts'
import { CRUD } from '../catalogue/subject.ts'
import { everything, type Holdings } from './holdings.ts'

const READ = ['read'] as const

export const ADMIN: Holdings<OrganizationSubjects> = everything(ORGANIZATION_SUBJECTS)

export const MEMBER: Holdings<OrganizationSubjects> = {
  workspace: ['create'],
  project: ['create', 'request-access'],
  role: READ,
  member: READ,
  settings: READ,
  'incident-contact': READ,
  groups: READ,
  'secret-scanning': CRUD,
  billing: READ,
  identity: CRUD,
  'audit-logs': READ,
  'app-connections': ['connect'],
  'machine-identity-auth-template': ['list-templates', 'unlink-templates', 'attach-templates'],
  gateway: ['list-gateways', 'create-gateways', 'attach-gateways'],
  'gateway-pool': ['list-gateway-pools', 'create-gateway-pools', 'attach-gateway-pools'],
  relay: ['list-relays', 'create-relays', 'edit-relays'],
  'certificate-manager': READ,
}
