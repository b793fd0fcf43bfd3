import type { OrganizationSubjects } from '../permissions/catalogue/organization.ts'

type Action = OrganizationSubjects['identity']['actions'][number]

type Requirement = {
  /** In the organization that owns the identity; a boundary is about power that is handed on. */
  inOrganization: { action: Action; boundary?: Action }
  /** In the project, where a project owns it. */
  inProject: Action
  /** Changes something; on an identity of an instance administrator only another one may. */
  isChange: boolean
}

/** What one may do with the ways in which a machine identity logs in, and what each takes. */
export const METHOD_OPERATIONS = {
  'read method': reading('read'),
  'edit method': changing({ action: 'edit-auth' }, 'edit-auth'),
  'detach method': changing({ action: 'edit', boundary: 'revoke-auth' }, 'revoke-auth'),
  'clear lockouts': changing({ action: 'edit' }, 'edit'),
  'create client secret': changing({ action: 'create', boundary: 'create-token' }, 'create-token'),
  'read client secrets': reading('read', 'get-token'),
  'revoke client secret': changing({ action: 'delete', boundary: 'delete-token' }, 'delete-token'),
  'edit tokens': changing({ action: 'edit', boundary: 'create-token' }, 'create-token'),
  'read tokens': reading('read'),
  'revoke token': changing({ action: 'edit' }, 'edit'),
} as const satisfies Record<string, Requirement>

export type MethodOperation = keyof typeof METHOD_OPERATIONS

function reading(action: Action, boundary?: Action): Requirement {
  return {
    inOrganization: { action, ...(boundary && { boundary }) },
    inProject: boundary ?? action,
    isChange: false,
  }
}

function changing(inOrganization: Requirement['inOrganization'], inProject: Action): Requirement {
  return { inOrganization, inProject, isChange: true }
}
