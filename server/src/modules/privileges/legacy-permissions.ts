import type { PermissionRule } from '../permissions/rule-schemas.ts'
import type { Granted, RequestedPermission } from './granted.ts'

type Action = Exclude<RequestedPermission['action'], 'write'>
type SingleRule = PermissionRule & { readonly action: readonly [Action] }

const WRITE = ['create', 'edit', 'delete'] as const

const ON_DYNAMIC_SECRETS: Readonly<Record<Action, readonly string[]>> = {
  read: ['read-root-credential'],
  create: ['create-root-credential'],
  edit: ['edit-root-credential', 'lease'],
  delete: ['delete-root-credential'],
}

/** Whoever asks for secrets in the older words gets these with them, and is not shown them. */
const COMPANIONS: ReadonlySet<string> = new Set(['secret-imports', 'dynamic-secrets', 'secret-folders'])

/** The rules that the older words stand for: each action by itself, then what comes with secrets. */
export const grantedBy = (requested: readonly RequestedPermission[]): Granted => {
  const rules = requested.flatMap(rulesOf)
  const ofSecrets = rules.filter(({ subject }) => subject === 'secrets')
  // Whoever speaks of folders has said all there is to say about them.
  const speaksOfFolders = rules.some(({ subject }) => subject === 'secret-folders')
  return {
    requested,
    permissions: [
      ...rules,
      ...ofSecrets.map((rule) => ({ ...rule, subject: 'secret-imports' })),
      ...ofSecrets.map((rule) => ({ ...rule, subject: 'dynamic-secrets', action: onDynamicSecrets(rule) })),
      ...(speaksOfFolders ? [] : ofSecrets.filter(isNoRead).map((rule) => ({ ...rule, subject: 'secret-folders' }))),
    ],
  }
}

/** In the older words: as it was asked for, or else the rules without those that would have come by themselves. */
export const legacyRulesOf = ({ permissions, requested }: Granted): PermissionRule[] =>
  requested?.map(({ action, ...permission }) => ({ ...permission, action: [action], inverted: false })) ??
  permissions.filter(({ subject }) => !COMPANIONS.has(subject))

const rulesOf = ({ subject, action, conditions }: RequestedPermission): SingleRule[] =>
  (action === 'write' ? WRITE : [action]).map((single) => ({
    subject,
    action: [single],
    inverted: false,
    ...(conditions && { conditions }),
  }))

const onDynamicSecrets = ({ action: [action] }: SingleRule): readonly string[] => ON_DYNAMIC_SECRETS[action]

/** Everyone in a project may see its folders. */
const isNoRead = ({ action: [action] }: SingleRule): boolean => action !== 'read'
