import { requireMayWrite } from '../organizations/power.ts'
import type { ProjectAbility } from '../permissions/ability.ts'
import type { Actor } from '../permissions/actor.ts'
import type { Rule } from '../permissions/rule.ts'
import { requireSoundCombinations } from '../permissions/rule-combinations.ts'
import { requireUsableTemplates } from '../permissions/templates.ts'

export const requireSoundRules = (rules: readonly Rule[], occasion: string): void => {
  requireSoundCombinations(rules)
  requireUsableTemplates(rules, occasion)
}

type Rewriting = { before: readonly Rule[]; after: readonly Rule[] }

/** Whoever may make itself an administrator may write any role; everyone else only what they may do themselves. */
export const requireMayBecome = (actor: Actor, ability: ProjectAbility, rewriting: Rewriting): void => {
  const role = { assignableRole: 'admin' }
  const mayRaiseItself =
    actor.type === 'user'
      ? ability.can('assign-role', 'member', { ...role, userEmail: actor.email })
      : ability.can('assign-role', 'identity', { ...role, identityId: actor.id })
  if (!mayRaiseItself) requireMayWrite(ability.activeRules(), rewriting)
}
