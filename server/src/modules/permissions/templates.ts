import { badRequest } from '../../lib/app-error.ts'
import { HOLE } from '../../lib/glob.ts'
import type { Rule } from './rule.ts'

/** What `{{identity.…}}` stands for: a property of the acting principal, under these names. */
export type TemplateValues = {
  readonly id: string
  readonly username: string
  readonly metadata: Readonly<Record<string, string>>
  readonly auth: Readonly<Record<string, unknown>>
}

/** Text of a rule: itself, and the values to put in, in turn. `isComplete` is false when a value is not known. */
type Rendered = { readonly parts: readonly string[]; readonly values: readonly string[]; readonly isComplete: boolean }

type Reference = { readonly path: readonly string[]; readonly prefix: string }

const TEMPLATE = /\{\{([^{}]*)\}\}/g
const NAME = /[^\s!"#%&'()*+,./;<=>@[\\\]^`{|}~]+|\[[^[\]]+\]/.source
const PATH = `identity(?:\\.(?:${NAME}))+`
const SEGMENT = new RegExp(`\\.(?:${NAME})`, 'g')
const EXPRESSION = new RegExp(`^\\s*(?:(${PATH})|stripPrefix\\s+(${PATH})\\s+(?:'([^']*)'|"([^"]*)"))\\s*$`)

/** Undefined for anything but a path into the identity, or one with a prefix taken off. */
const parseReference = (expression: string): Reference | undefined => {
  const [, plainPath, strippedPath, singleQuoted, doubleQuoted] = EXPRESSION.exec(expression) ?? []
  const path = plainPath ?? strippedPath
  if (path === undefined) return undefined
  // A name in square brackets may hold any character.
  const segments = Array.from(path.matchAll(SEGMENT), ([segment]) => segment.replace(/^\.\[?|\]$/g, ''))
  return { path: segments, prefix: singleQuoted ?? doubleQuoted ?? '' }
}

/** Every `{{` must begin a template: blocks, partials, raw values and unclosed ones are refused. */
const hasOnlyUsableTemplates = (text: string): boolean => {
  for (const { 1: expression = '' } of text.matchAll(TEMPLATE)) if (!parseReference(expression)) return false
  // A template behind a brace or a backslash reads as something else to those who wrote it.
  return !/[{\\]\{\{/.test(text) && !text.replaceAll(TEMPLATE, '').includes('{{')
}

/** Throws for a rule with a template that could never be rendered. `occasion` tells the caller where it was found. */
export const requireUsableTemplates = (rules: readonly Rule[], occasion: string): void => {
  const isUsable = (value: unknown): boolean => {
    if (typeof value === 'string') return hasOnlyUsableTemplates(value)
    return typeof value !== 'object' || value === null || Object.values(value).every(isUsable)
  }
  if (!rules.every(({ conditions }) => isUsable(conditions))) {
    throw badRequest(`${occasion}: only templates of the form {{identity.…}} are allowed in a rule`)
  }
}

/** The text with a word in place of each template, for judging the rest of it. */
export const withoutTemplates = (text: string): string => text.replaceAll(TEMPLATE, 'x')

/** Puts the actor's own values into the text of a rule. What is not known stays as it is written. */
const render = (text: string, values: TemplateValues): Rendered => {
  const parts: string[] = []
  const found: string[] = []
  let isComplete = hasOnlyUsableTemplates(text)
  let end = 0
  for (const { 0: template, 1: expression = '', index } of text.matchAll(TEMPLATE)) {
    const value = resolve(parseReference(expression), values)
    isComplete &&= value !== undefined
    parts.push(text.slice(end, index))
    found.push(value ?? template)
    end = index + template.length
  }
  return { parts: [...parts, text.slice(end)], values: found, isComplete }
}

const resolve = (reference: Reference | undefined, values: TemplateValues): string | undefined => {
  if (!reference) return undefined
  let value: unknown = values
  for (const segment of reference.path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[segment]
  }
  if (typeof value !== 'string') return undefined
  return value.startsWith(reference.prefix) ? value.slice(reference.prefix.length) : value
}

export const renderText = (text: string, values: TemplateValues) => {
  const { parts, values: found, isComplete } = render(text, values)
  return { text: parts.map((part, index) => part + (found[index] ?? '')).join(''), isComplete }
}

/** As `renderText`, for `compileGlob`: a value is put in as text and never read as a pattern. */
export const renderPattern = (text: string, values: TemplateValues) => {
  const { parts, values: fillings, isComplete } = render(text, values)
  return { pattern: parts.join(HOLE), fillings, isComplete }
}
