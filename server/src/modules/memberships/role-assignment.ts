import { badRequest } from '../../lib/app-error.ts'
import { type RequestedRole, requirePermanentRole } from '../groups/granted-roles.ts'
import type { ProjectSubjects } from '../permissions/catalogue/project.ts'
import { requireMayAssignRole } from '../permissions/delegation.ts'
import type { LiveAbility } from '../permissions/live-ability.ts'

type Recipient = Parameters<typeof requireMayAssignRole>[1]

type Assignment = {
  ability: LiveAbility<ProjectSubjects>
  recipient: Recipient
  roles: readonly RequestedRole[]
  projectType: string
}

const CERTIFICATE_MANAGER = 'cert-manager'
const OF_CERTIFICATE_MANAGER: ReadonlySet<string> = new Set(['admin', 'member'])

const NAMES = { groups: 'Group', identity: 'Identity', member: 'User' } as const

/** Throws unless the actor may give these roles to the recipient, in a project of this type. */
export const requireMayAssign = async ({ ability, recipient, roles, projectType }: Assignment): Promise<void> => {
  if (projectType === CERTIFICATE_MANAGER && !roles.every(({ role }) => OF_CERTIFICATE_MANAGER.has(role))) {
    throw badRequest('In a project for certificates only the roles admin and member can be held')
  }
  await ability.satisfy((present) => {
    for (const { role } of roles) requireMayAssignRole(present, recipient, role)
  })
  requirePermanentRole(roles, NAMES[recipient.subject])
}
