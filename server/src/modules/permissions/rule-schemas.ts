import { z } from 'zod'
import { assignableActionFault } from './assignable-actions.ts'
import { ORGANIZATION_SUBJECTS } from './catalogue/organization.ts'
import { INERT_SUBJECTS, REQUESTABLE_SUBJECTS } from './catalogue/project.ts'
import type { Catalogue, Subject } from './catalogue/subject.ts'
import { conditionsSchema, KeptConditions, PlainText } from './condition-schemas.ts'
import type { Conditions, Rule } from './rule.ts'

/** A rule as it is stored and shown: complete, and otherwise just as it was sent. */
export type PermissionRule = Rule & { readonly inverted: boolean }

const RULES_MAX = 1000
const ACTIONS_MAX = 64
const INERT_ACTION_CHARACTERS_MAX = 64

type Requested = {
  subject: string
  action: string | string[]
  inverted?: boolean | undefined
  conditions?: Conditions | undefined
}

const oneOrMore = (action: z.ZodType<string>) => z.union([action, z.array(action).min(1).max(ACTIONS_MAX)])

/** Many subjects share their list of actions. */
const actionSchemas = new Map<readonly string[], z.ZodType<string | string[]>>()
const actionSchema = (actions: readonly string[]): z.ZodType<string | string[]> => {
  let schema = actionSchemas.get(actions)
  if (!schema) actionSchemas.set(actions, (schema = oneOrMore(z.enum(actions))))
  return schema
}

const Inverted = z.boolean().optional()
/** `false` is accepted everywhere; `true` where it had no effect would turn a deny into an allow. */
const NotInverted = z.literal(false).optional()

const liveShape = (name: string, { actions, conditions }: Subject) =>
  z
    .object({
      subject: z.literal(name),
      action: actionSchema(actions),
      inverted: conditions ? Inverted : NotInverted,
      conditions: conditionsSchema(conditions).optional(),
    })
    .superRefine((rule, context) => {
      const message = assignableActionFault(rule.conditions)
      if (message !== undefined) {
        context.addIssue({ code: 'custom', message, path: ['conditions', 'assignableAction'] })
      }
    })

const InertAction = oneOrMore(PlainText.trim().min(1).max(INERT_ACTION_CHARACTERS_MAX))

const inertShape = (name: string) =>
  z.object({
    subject: z.literal(name),
    action: InertAction,
    inverted: Inverted,
    conditions: KeptConditions.optional(),
  })

type Shape = ReturnType<typeof liveShape> | ReturnType<typeof inertShape>

const ruleOf = (catalogue: Catalogue, inertSubjects: readonly string[]): z.ZodType<PermissionRule> => {
  const shapes: Shape[] = Object.entries(catalogue).map(([name, subject]) => liveShape(name, subject))
  shapes.push(...inertSubjects.map(inertShape))
  return z.discriminatedUnion('subject', shapes as [Shape, ...Shape[]]).transform(complete)
}

const rulesOf = (catalogue: Catalogue, inertSubjects: readonly string[]) => {
  let rule: z.ZodType<PermissionRule> | undefined
  // Dozens of shapes that most processes never need: built on first use.
  return z.array(z.lazy(() => (rule ??= ruleOf(catalogue, inertSubjects)))).max(RULES_MAX)
}

const complete = ({ subject, action, inverted = false, conditions }: Requested): PermissionRule => ({
  subject,
  action: typeof action === 'string' ? [action] : action,
  inverted,
  ...(conditions && { conditions }),
})

export const ProjectRules = rulesOf(REQUESTABLE_SUBJECTS, INERT_SUBJECTS).meta({ id: 'ProjectRules' })
export const OrganizationRules = rulesOf(ORGANIZATION_SUBJECTS, []).meta({ id: 'OrganizationRules' })

/** For responses. Rules of predefined roles have no `inverted`. */
export const RuleView = z.object({
  subject: z.string(),
  action: z.array(z.string()),
  inverted: z.boolean().optional(),
  conditions: z.record(z.string(), z.unknown()).optional(),
})
