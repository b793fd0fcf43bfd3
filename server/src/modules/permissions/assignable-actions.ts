import { compileGlob } from '../../lib/glob.ts'

type Operators = {
  readonly $eq?: string
  readonly $ne?: string
  readonly $in?: readonly string[]
  readonly $glob?: string
}
type TextCondition = string | Operators | undefined

const ASSIGNABLE_ACTION = /^([^:]+):.+$/s

/**
 * What is wrong with the actions that a rule lets its holder hand out; undefined when nothing is. Each must be written
 * `subject:action`, and its subject must be one that the rule's `assignableSubject` lets through.
 */
export const assignableActionFault = (conditions: unknown): string | undefined => {
  const { assignableAction, assignableSubject } = (conditions ?? {}) as Readonly<Record<string, TextCondition>>
  for (const action of textsOf(assignableAction)) {
    const subject = ASSIGNABLE_ACTION.exec(action)?.[1]
    if (subject === undefined) return `An assignable action is written 'subject:action', not '${action}'`
    if (!letsThrough(assignableSubject, subject)) return `'${action}' is not of an assignable subject`
  }
  return undefined
}

const textsOf = (condition: TextCondition): readonly string[] => {
  if (condition === undefined) return []
  if (typeof condition === 'string') return [condition]
  return [condition.$eq, condition.$ne, ...(condition.$in ?? []), condition.$glob].filter((text) => text !== undefined)
}

const letsThrough = (condition: TextCondition, subject: string): boolean => {
  if (condition === undefined) return true
  if (typeof condition === 'string') return condition === subject
  const { $eq = subject, $ne, $in = [subject], $glob } = condition
  const isMatch = $glob === undefined || compileGlob($glob)?.(subject) === true
  return $eq === subject && $ne !== subject && $in.includes(subject) && isMatch
}
