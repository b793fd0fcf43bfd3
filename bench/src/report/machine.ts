import { availableParallelism, cpus, totalmem } from 'node:os'

/** Where the figures come from, in one line. */
export const machine = (): string => {
  const [cpu] = cpus()
  const memory = `${Math.round(totalmem() / 1e9)} GB`
  const system = `${process.platform} ${process.arch}`
  return [
    `${availableParallelism()} × ${cpu?.model.trim() || 'cpu'}`,
    memory,
    system,
    `Node ${process.versions.node}`,
  ].join(', ')
}
