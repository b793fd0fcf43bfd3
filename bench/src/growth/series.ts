import type { Request } from '../load/request.ts'
import type { Tenant } from '../tenant.ts'

/** One kind of thing of which there is more and more, and the requests whose cost should not notice. */
export type Series = {
  title: string
  sizes: readonly number[]
  prepare: (tenant: Tenant, databaseUrl?: string) => Promise<Growing>
}

export type Growing = {
  growTo: (size: number) => Promise<void>
  /** By what the table calls them. */
  requests: (size: number) => Promise<Record<string, Request>>
  close?: () => void
}

/** What one request cost at one size. */
export type Point = {
  series: string
  size: number
  request: string
  perSecond: number
  p50: number
  p99: number
  bytes: number
  errors: number
}
