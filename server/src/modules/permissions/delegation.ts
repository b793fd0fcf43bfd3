import { AppError } from '../../lib/app-error.ts'
import type { ProjectAbility } from './ability.ts'
import type { Rule } from './rule.ts'

/** To whom something is being given. */
type Recipient =
  | { readonly subject: 'identity'; readonly fields: { readonly identityId: string } }
  | { readonly subject: 'member'; readonly fields: { readonly userEmail: string } }
  | { readonly subject: 'groups'; readonly fields: { readonly groupName: string } }

type PrivilegeRecipient = Exclude<Recipient, { subject: 'groups' }>

const NO_ACCESS = 'no-access'
const ASSIGN_ROLE = 'assign-role'
const ASSIGN_PRIVILEGES = 'assign-additional-privileges'

/** Throws unless the actor may give the role to the recipient. Giving no access takes no right to assign roles. */
export const requireMayAssignRole = (ability: ProjectAbility, recipient: Recipient, roleSlug: string): void => {
  if (roleSlug === NO_ACCESS) return
  const { subject, fields } = recipient
  if (ability.can(ASSIGN_ROLE, subject, { ...fields, assignableRole: roleSlug })) return
  throw boundary(`You may not assign the role '${roleSlug}'`, ASSIGN_ROLE, subject)
}

/**
 * Throws unless the actor may give these rules to the recipient. What the actor itself holds is not compared: who may
 * assign privileges may assign any, except where the actor's own rule names the subjects and actions it covers.
 */
export const requireMayAssignPrivileges = (
  ability: ProjectAbility,
  { subject, fields }: PrivilegeRecipient,
  rules: readonly Rule[],
): void => {
  // Also without any rule to look at: emptying a privilege may take a deny away.
  if (!ability.canSome(ASSIGN_PRIVILEGES, subject, fields)) {
    throw boundary('You may not assign additional privileges here', ASSIGN_PRIVILEGES, subject)
  }
  for (const { subject: assignableSubject, action: actions } of rules) {
    for (const action of actions) {
      const assignableAction = `${assignableSubject}:${action}`
      if (ability.can(ASSIGN_PRIVILEGES, subject, { ...fields, assignableSubject, assignableAction })) continue
      throw boundary(`You may not grant '${action}' on '${assignableSubject}'`, ASSIGN_PRIVILEGES, subject)
    }
  }
}

const boundary = (message: string, action: string, subject: string): AppError =>
  new AppError('boundary', `${message}: it takes ${action} on ${subject}, within the conditions of your role`, {
    details: { missingPermissions: [{ action, subject }] },
  })
