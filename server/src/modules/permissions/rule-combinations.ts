import { badRequest } from '../../lib/app-error.ts'
import { umbrellaOf } from './catalogue/legacy-actions.ts'
import type { Rule } from './rule.ts'

type AllowedFields = Readonly<Record<string, readonly string[]>>

const ONLY_THE_IDENTITY = ['identityId']

/** The conditions that make sense for an action. An action that is not listed takes every condition of its subject. */
const ALLOWED_FIELDS: ReadonlyMap<string, AllowedFields> = new Map<string, AllowedFields>([
  [
    'identity',
    {
      read: ONLY_THE_IDENTITY,
      create: [],
      edit: ONLY_THE_IDENTITY,
      delete: ONLY_THE_IDENTITY,
      'assume-privileges': ONLY_THE_IDENTITY,
      'revoke-auth': ONLY_THE_IDENTITY,
      'edit-auth': ONLY_THE_IDENTITY,
      'create-token': ONLY_THE_IDENTITY,
      'get-token': ONLY_THE_IDENTITY,
      'delete-token': ONLY_THE_IDENTITY,
      'assign-role': ['identityId', 'assignableRole'],
      'assign-additional-privileges': ['identityId', 'assignableSubject', 'assignableAction'],
    },
  ],
  [
    'member',
    {
      'assign-role': ['userEmail', 'assignableRole'],
      'assign-additional-privileges': ['userEmail', 'assignableSubject', 'assignableAction'],
    },
  ],
])

/** Throws for a rule whose parts are each valid and yet do not go together. */
export const requireSoundCombinations = (rules: readonly Rule[]): void => {
  for (const rule of rules) {
    requireNoActionWithItsUmbrella(rule)
    requireAllowedFields(rule)
  }
}

const requireNoActionWithItsUmbrella = ({ subject, action: actions }: Rule): void => {
  for (const action of actions) {
    const umbrella = umbrellaOf(subject, action)
    if (umbrella === undefined || !actions.includes(umbrella)) continue
    throw badRequest(
      `A rule on '${subject}' may not hold both '${umbrella}' and '${action}': the first is the older name for several ` +
        `actions of which the second is one`,
    )
  }
}

const requireAllowedFields = ({ subject, action: actions, conditions = {} }: Rule): void => {
  const allowedFields = ALLOWED_FIELDS.get(subject)
  if (!allowedFields) return
  for (const action of actions) {
    const allowed = Object.hasOwn(allowedFields, action) ? allowedFields[action] : undefined
    const field = Object.keys(conditions).find((name) => allowed && !allowed.includes(name))
    if (field !== undefined) {
      throw badRequest(`The condition '${field}' does not apply to the action '${action}' on '${subject}'`)
    }
  }
}
