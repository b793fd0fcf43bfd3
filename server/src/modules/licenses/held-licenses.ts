import { AppError } from '../../lib/app-error.ts'
import { EVENT_SUBSCRIPTIONS, type License, type TrustedKeys, verifyLicense } from './license.ts'
import type { InstalledRow } from './licenses.store.ts'

export type HeldLicense = License & {
  source: 'configuration' | 'installed' | 'evaluation'
  installedAt: Date | null
}

/** The licences that count, and the ids of installed ones that no trusted key has signed. */
export type Holdings = { held: readonly HeldLicense[]; untrustedIds: readonly string[] }

type Found = {
  keys: TrustedKeys
  configured: License | undefined
  installed: readonly InstalledRow[]
  evaluationStart: Date | undefined
}

const EVALUATION_ID = '00000000-0000-0000-0000-000000000000'
const EVALUATION_MS = 30 * 86_400_000

export const holdingsOf = ({ keys, configured, installed, evaluationStart }: Found): Holdings => {
  const read = installed.map((row) => ({ id: row.id, license: verifyRow(row, keys) }))
  return {
    held: [
      ...(configured ? [{ ...configured, source: 'configuration' as const, installedAt: null }] : []),
      ...read.flatMap(({ license }) => license ?? []),
      ...(evaluationStart ? [evaluationFrom(evaluationStart)] : []),
    ],
    untrustedIds: read.filter(({ license }) => !license).map(({ id }) => id),
  }
}

/** Those that concern an organization; undefined: those for all of them. */
export const concerning = (held: readonly HeldLicense[], organizationId: string | undefined): HeldLicense[] =>
  held.filter((license) => license.organizationId === undefined || license.organizationId === organizationId)

/** Undefined when its text is not signed by a trusted key, or speaks of another organization than its row. */
const verifyRow = (
  { token, organizationId, installedAt }: InstalledRow,
  keys: TrustedKeys,
): HeldLicense | undefined => {
  try {
    const license = verifyLicense(token, keys)
    if ((license.organizationId ?? null) !== organizationId) return undefined
    return { ...license, source: 'installed', installedAt }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

const evaluationFrom = (start: Date): HeldLicense => ({
  id: EVALUATION_ID,
  source: 'evaluation',
  licensee: 'Evaluation',
  organizationId: undefined,
  features: [EVENT_SUBSCRIPTIONS],
  seats: null,
  startsAt: start.getTime(),
  endsAt: start.getTime() + EVALUATION_MS,
  installedAt: null,
})
