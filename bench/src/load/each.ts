import { type Percentiles, percentiles } from '../statistics.ts'
import { Connection } from './connection.ts'
import { type Request, requestWriter } from './request.ts'

export type EachOutcome = { perSecond: number; milliseconds: Percentiles; errors: number }

/** Sends each request once, over so many connections, and waits for all answers. */
export const sendEach = async (
  url: string,
  requests: readonly Request[],
  connections: number,
): Promise<EachOutcome> => {
  const base = new URL(url)
  const waiting = requests.map((request) => requestWriter(base, request)())
  const latencies: number[] = []
  const opened: Connection[] = []
  let errors = 0
  let answered = 0
  const startedAt = performance.now()
  await new Promise<void>((resolve) => {
    const count = () => {
      if (++answered >= requests.length) resolve()
    }
    const exchange = {
      next: () => waiting.shift(),
      onAnswer: ({ status }: { status: number }, milliseconds: number) => {
        if (status === 200) latencies.push(milliseconds)
        else errors++
        count()
      },
      onFailure: () => {
        errors++
        count()
      },
    }
    for (let number = 0; number < connections; number++) opened.push(new Connection(base, exchange))
    for (const connection of opened) connection.open()
  })
  const seconds = (performance.now() - startedAt) / 1_000
  for (const connection of opened) connection.close()
  return { perSecond: latencies.length / seconds, milliseconds: percentiles(Float64Array.from(latencies)), errors }
}
