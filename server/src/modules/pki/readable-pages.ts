import type { ProjectAbility } from '../permissions/ability.ts'

/** Whoever may see only some finds them among this many. */
export const RULED_MAX = 10_000

type Page = { offset: number; limit: number }
type Subject = 'certificates' | 'certificate-policies' | 'certificate-profiles'
type Source<Row> = {
  /** In order. */
  list: (page: Page) => Promise<Row[]>
  count: () => Promise<number>
  /** What the rules say of one. */
  isReadable: (row: Row) => boolean
}

/** A page of what the actor may read, and how much that is. Rules know more than SQL, so they are asked of each. */
export const readablePage = async <Row>(
  ability: ProjectAbility,
  subject: Subject,
  { offset, limit }: Page,
  { list, count, isReadable }: Source<Row>,
): Promise<{ rows: Row[]; totalCount: number }> => {
  if (mayReadAll(ability, subject)) {
    const [rows, totalCount] = await Promise.all([list({ offset, limit }), count()])
    return { rows, totalCount }
  }
  const readable = (await list({ offset: 0, limit: RULED_MAX })).filter(isReadable)
  return { rows: readable.slice(offset, offset + limit), totalCount: readable.length }
}

/** Whether no rule asks what one is like before it may be read. */
export const mayReadAll = (ability: ProjectAbility, subject: Subject): boolean => {
  const rules = ability.activeRules().filter((rule) => rule.subject === subject && rule.action.includes('read'))
  const isUnconditional = ({ conditions = {} }: (typeof rules)[number]) => Object.keys(conditions).length === 0
  return rules.some((rule) => !rule.inverted && isUnconditional(rule)) && !rules.some(({ inverted }) => inverted)
}
