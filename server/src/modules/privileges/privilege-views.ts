import { z } from 'zod'
import { badRequest } from '../../lib/app-error.ts'
import { once } from '../../lib/once.ts'
import type { PermissionRule } from '../permissions/rule-schemas.ts'
import type { Granted } from './granted.ts'
import { grantedBy, legacyRulesOf } from './legacy-permissions.ts'
import type { Permissions } from './legacy-privileges.schemas.ts'
import type { ListedPrivilege, Privilege } from './privilege-lookup.service.ts'
import { PrivilegeAnswer, PrivilegeList } from './privileges.schemas.ts'

const onWire = (rule: PermissionRule) => ({ ...rule, action: [...rule.action] })

export const toAnswer = once((privilege: Privilege) => ({
  privilege: { ...privilege, permissions: privilege.permissions.map(onWire) },
}))
export const renderAnswer = once((answer: z.output<typeof PrivilegeAnswer>) =>
  JSON.stringify(z.encode(PrivilegeAnswer, answer)),
)

export const toList = once((privileges: readonly ListedPrivilege[]) => ({ privileges: [...privileges] }))
export const renderList = once((list: z.output<typeof PrivilegeList>) => JSON.stringify(z.encode(PrivilegeList, list)))

export const toLegacy = (privilege: Privilege) => ({
  ...privilege,
  projectMembershipId: privilege.projectId,
  permissions: legacyRulesOf(privilege).map(onWire),
})

/** From the older words. Throws when nothing at all is said. */
export const toGranted = ({ permissions, privilegePermission }: Permissions): Granted => {
  if (privilegePermission) {
    const { subject, conditions, actions, action = [] } = privilegePermission
    const requested = (actions ?? [action].flat()).map((single) => ({ subject, action: single, conditions }))
    return grantedBy(requested)
  }
  if (!permissions) throw badRequest('Either privilegePermission or permissions must be given')
  return grantedBy(permissions.map(({ subject, action, conditions }) => ({ subject, action, conditions })))
}
