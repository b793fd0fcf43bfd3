import { requireSoundCombinations } from '../permissions/rule-combinations.ts'
import type { PermissionRule } from '../permissions/rule-schemas.ts'
import type { Conditions } from '../permissions/rule.ts'
import { requireUsableTemplates } from '../permissions/templates.ts'

/** One action as the older interface asks for it, kept so that it can be shown again just so. */
export type RequestedPermission = {
  readonly subject: string
  readonly action: 'read' | 'create' | 'edit' | 'delete' | 'write'
  readonly conditions?: Conditions | undefined
}

/** What a privilege allows: rules, and what was asked for in the older words if it was those that asked. */
export type Granted = {
  readonly permissions: readonly PermissionRule[]
  readonly requested: readonly RequestedPermission[] | null
}

/** Throws for rules that are each valid and yet cannot be granted. */
export const requireGrantable = ({ permissions, requested }: Granted): void => {
  // The older words cannot name what does not go together.
  if (!requested) requireSoundCombinations(permissions)
  requireUsableTemplates(permissions, 'The privilege cannot be granted')
}
