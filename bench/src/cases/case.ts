import type { CeilingName } from '../ceilings/ceiling.ts'
import type { Request } from '../load/request.ts'
import type { Tenant } from '../tenant.ts'

/** Figures to reach at 16 connections with everything on two cores. */
export type Goal = {
  /** Of the ceiling, which is the better measure: it needs no particular machine. */
  share: number
  perSecond?: number
}

/** A request under load. */
export type RequestCase = {
  /** As `--case` selects it. */
  name: string
  title: string
  /** The least that a server could do for such a request. */
  ceiling: CeilingName
  goal: Goal
  /** Where the usual number of connections does not say enough. */
  connections?: readonly number[]
  /** Makes what the request needs; the database is that of a server of our own, where the API would take too long. */
  prepare: (tenant: Tenant, databaseUrl?: string) => Promise<Request>
}

export type Figure = { title: string; value: number; unit: string; goalMax?: number }

/** Anything else that is measured. */
export type FigureCase = {
  name: string
  measure: (surroundings: { repeats: number; signal: AbortSignal }) => Promise<Figure[]>
}
