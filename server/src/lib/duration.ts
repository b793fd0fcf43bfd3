const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const YEAR_MS = 365.25 * DAY_MS

/** As the npm package `ms` names them; in any case, so "M" is a minute too. */
const UNITS_MS: ReadonlyMap<string, number> = new Map(
  (
    [
      [1, ['', 'ms', 'msec', 'msecs', 'millisecond', 'milliseconds']],
      [SECOND_MS, ['s', 'sec', 'secs', 'second', 'seconds']],
      [MINUTE_MS, ['m', 'min', 'mins', 'minute', 'minutes']],
      [HOUR_MS, ['h', 'hr', 'hrs', 'hour', 'hours']],
      [DAY_MS, ['d', 'day', 'days']],
      [7 * DAY_MS, ['w', 'week', 'weeks']],
      [YEAR_MS, ['y', 'yr', 'yrs', 'year', 'years']],
    ] as const
  ).flatMap(([milliseconds, names]) => names.map((name) => [name, milliseconds])),
)

const DURATION = /^(\d*\.?\d+) *([a-z]*)$/i
const CHARACTERS_MAX = 100
/** Far beyond any grant, and safely inside what a date can hold. */
const DURATION_MAX_MS = 100 * YEAR_MS

/** Whole milliseconds of "90", "30s", "1.5h", "2 days". Undefined unless it is at least one and at most a hundred years. */
export const parseDurationMs = (text: string): number | undefined => {
  if (text.length > CHARACTERS_MAX) return undefined
  const [, amount, unit] = DURATION.exec(text) ?? []
  const unitMs = UNITS_MS.get(unit?.toLowerCase() ?? '')
  if (amount === undefined || unitMs === undefined) return undefined

  const durationMs = Math.trunc(Number(amount) * unitMs)
  return durationMs >= 1 && durationMs <= DURATION_MAX_MS ? durationMs : undefined
}
