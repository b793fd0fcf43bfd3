import { isDeepStrictEqual } from 'node:util'
import type { Rule } from '../permissions/rule.ts'

const SECRETS = 'secrets'
const FOLDERS = 'secret-folders'
const IMPORTS = 'secret-imports'
const DYNAMIC_SECRETS = 'dynamic-secrets'

const ON_DYNAMIC_SECRETS: ReadonlyMap<string, readonly string[]> = new Map([
  ['read', ['read-root-credential']],
  ['create', ['create-root-credential']],
  ['edit', ['edit-root-credential', 'lease']],
  ['delete', ['delete-root-credential']],
])

/** What the older words stand for: the rules themselves, and behind them what comes with secrets. */
export const withCompanions = (rules: readonly Rule[]): Rule[] => [...rules, ...companionsOf(rules)]

/**
 * In the older words: what was asked for in them or, of rules that were not, those that they have words for. A list that
 * is some first rules and just their companions was asked for as those first rules.
 */
export const withoutCompanions = (rules: readonly Rule[]): Rule[] => {
  for (let asked = 0; asked <= rules.length; asked++) {
    const companions = rules.slice(asked)
    if (companionsLengthMax(asked) < companions.length) continue
    if (isDeepStrictEqual(companionsOf(rules.slice(0, asked)), companions)) return rules.slice(0, asked)
  }
  return rules.flatMap(inOlderWords)
}

const companionsOf = (rules: readonly Rule[]): Rule[] => {
  const onSecrets = rules.filter(({ subject }) => subject === SECRETS)
  // Whoever speaks of folders has said all there is to say about them.
  const speaksOfFolders = rules.some(({ subject }) => subject === FOLDERS)
  return [
    ...onSecrets.map((rule) => ({ ...rule, subject: IMPORTS })),
    ...onSecrets.map((rule) => ({ ...rule, subject: DYNAMIC_SECRETS, action: rule.action.flatMap(onDynamicSecrets) })),
    ...(speaksOfFolders ? [] : onSecrets.flatMap(onFolders)),
  ]
}

const companionsLengthMax = (rules: number): number => 3 * rules

const onDynamicSecrets = (action: string): readonly string[] => ON_DYNAMIC_SECRETS.get(action) ?? []

/** Everyone in a project may see its folders. */
const onFolders = (rule: Rule): Rule[] => {
  const action = rule.action.filter((name) => name !== 'read')
  return action.length === 0 ? [] : [{ ...rule, subject: FOLDERS, action }]
}

const inOlderWords = (rule: Rule): Rule[] => {
  if (rule.subject === IMPORTS || rule.subject === DYNAMIC_SECRETS) return []
  if (rule.subject !== FOLDERS) return [rule]
  const action = rule.action.filter((name) => name === 'read')
  return action.length === 0 ? [] : [{ ...rule, action }]
}
