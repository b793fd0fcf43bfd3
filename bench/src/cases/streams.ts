import { setTimeout as sleep } from 'node:timers/promises'
import { Folder } from '../folder.ts'
import { openOwnTarget } from '../target.ts'
import { percentiles } from '../statistics.ts'
import { usageOf } from '../process-usage.ts'
import { Audience } from '../streams/audience.ts'
import type { Tenant } from '../tenant.ts'
import type { Figure, FigureCase } from './case.ts'

type Size = { streams: number; holdSeconds: number; goals: { connected?: number; p50?: number; p99?: number } }

const SIZES: readonly Size[] = [
  { streams: 100, holdSeconds: 1, goals: { connected: 0.2, p50: 5, p99: 15 } },
  { streams: 1_000, holdSeconds: 2, goals: { connected: 1, p50: 15, p99: 40 } },
  { streams: 5_000, holdSeconds: 60, goals: {} },
]
const UPDATES = 50
const STREAMS_MAX = '10000'
const MEMORY_KIB_GOAL = 15

/** From the request that changes a secret to its receipt by each of many streams, and what an idle stream holds. */
export const streams: FigureCase = {
  name: 'streams',
  measure: async ({ signal }) => {
    const figures: Figure[] = []
    for (const size of SIZES) {
      signal.throwIfAborted()
      const target = await openOwnTarget({ signal, environment: { HOLDFAST_MAX_STREAMS_PER_PROJECT: STREAMS_MAX } })
      try {
        figures.push(...(await measureSize(target.tenant, target.own?.pid, size)))
      } finally {
        await target.stop()
      }
    }
    return figures
  },
}

const measureSize = async (tenant: Tenant, pid: number | undefined, size: Size): Promise<Figure[]> => {
  const project = await tenant.createProject()
  const folder = await Folder.create(tenant, project, UPDATES)
  const keys = Array.from({ length: UPDATES }, (_, number) => `SECRET_${number}`)
  const update = (key: string) => tenant.api.send(folder.updateRequest(key))
  // Everything that a first use loads is loaded before the memory is looked at.
  const first = new Audience()
  const subscription = { url: new URL(tenant.api.url), token: tenant.token, projectId: project.id }
  await first.gather(subscription, 1)
  await first.hear('SECRET_0', () => update('SECRET_0'))
  first.leave()

  const before = await usageOf(pid)
  const audience = new Audience()
  try {
    const connectedSeconds = await audience.gather(subscription, size.streams)
    await sleep(size.holdSeconds * 1_000)
    const idle = await usageOf(pid)
    const held = audience.openCount
    const milliseconds: number[] = []
    for (const key of keys) milliseconds.push(...(await audience.hear(key, () => update(key))))
    const kibEach = before && idle && ((idle.memoryMb - before.memoryMb) * 1e6) / 1_024 / size.streams
    return figuresOf(size, { connectedSeconds, held, milliseconds, kibEach, ...audience.faults(keys) })
  } finally {
    audience.leave()
  }
}

type Measured = {
  connectedSeconds: number
  held: number
  milliseconds: number[]
  kibEach: number | undefined
  lost: number
  doubled: number
}

const figuresOf = ({ streams: count, holdSeconds, goals }: Size, measured: Measured): Figure[] => {
  const { p50, p99 } = percentiles(Float64Array.from(measured.milliseconds))
  const of = `${count.toLocaleString('en-US')} streams`
  const goal = (goalMax: number | undefined) => (goalMax === undefined ? {} : { goalMax })
  return [
    { title: `${of}: all connected`, value: measured.connectedSeconds, unit: 's', ...goal(goals.connected) },
    { title: `${of}: open after ${holdSeconds} s`, value: measured.held, unit: 'streams' },
    { title: `${of}: request to receipt, p50`, value: p50, unit: 'ms', ...goal(goals.p50) },
    { title: `${of}: request to receipt, p99`, value: p99, unit: 'ms', ...goal(goals.p99) },
    { title: `${of}: lost of ${UPDATES} updates`, value: measured.lost, unit: 'receipts', goalMax: 0 },
    { title: `${of}: doubled`, value: measured.doubled, unit: 'receipts', goalMax: 0 },
    ...(measured.kibEach === undefined
      ? []
      : [{ title: `${of}: memory of an idle one`, value: measured.kibEach, unit: 'KiB', goalMax: MEMORY_KIB_GOAL }]),
  ]
}
