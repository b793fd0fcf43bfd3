import { badRequest } from '../../../lib/app-error.ts'
import { matchesLinear, parseLinearRegex } from '../../../lib/linear-regex.ts'

/** Throws for an expression that some name could keep busy for ever. */
export const requireNamePattern = (source: string): void => {
  if (parseLinearRegex(source)) return
  throw badRequest(
    `The regular expression '${source}' is not taken: use classes, groups, alternatives, ?, and * and + after a single class`,
  )
}

/** Of the whole name: a pattern that is not anchored must not let in what only contains it. */
export const matchesNamePattern = (source: string, name: string): boolean => {
  const regex = parseLinearRegex(`^(?:${source})$`)
  return regex !== undefined && matchesLinear(regex, name)
}
