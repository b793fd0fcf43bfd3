import type { Request } from '../load/request.ts'
import type { Tenant } from '../tenant.ts'

/** One kind of thing of which there is more and more, and the requests whose cost should not notice. */
export type Series = {
  title: string
  sizes: readonly number[]
  prepare: (tenant: Tenant) => Promise<Growing>
}

export type Growing = {
  growTo: (size: number) => Promise<void>
  /** By what the table calls them. */
  requests: (size: number) => Promise<Record<string, Request>>
}
