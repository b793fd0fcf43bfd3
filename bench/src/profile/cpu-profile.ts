/** What `node --cpu-prof` writes; times are in microseconds. */
export type CpuProfile = {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  startTime: number
  samples: number[]
  timeDeltas: number[]
}

export type SelfTime = { name: string; place: string; milliseconds: number; share: number }

const IDLE = '(idle)'

/** Where the busy time between two moments was spent, function by function, the longest first. */
export const selfTimes = (profile: CpuProfile, window: { from: number; to: number }): SelfTime[] => {
  const byNode = new Map<number, number>()
  let at = profile.startTime
  profile.samples.forEach((node, index) => {
    const delta = profile.timeDeltas[index] ?? 0
    at += delta
    if (at >= window.from && at < window.to) byNode.set(node, (byNode.get(node) ?? 0) + delta)
  })
  const byFunction = new Map<string, SelfTime>()
  for (const { id, callFrame } of profile.nodes) {
    const milliseconds = (byNode.get(id) ?? 0) / 1_000
    const name = callFrame.functionName || '(anonymous)'
    if (milliseconds === 0 || name === IDLE) continue
    const place = placeOf(callFrame)
    const key = `${name} ${place}`
    const known = byFunction.get(key)
    if (known) known.milliseconds += milliseconds
    else byFunction.set(key, { name, place, milliseconds, share: 0 })
  }
  const all = [...byFunction.values()]
  const total = all.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
  return all
    .map((entry) => ({ ...entry, share: entry.milliseconds / total }))
    .sort((one, other) => other.milliseconds - one.milliseconds)
}

/** Short enough for a table: from the last package or the server's own folder on. */
const placeOf = ({ url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string => {
  if (url === '') return ''
  const file = url.replace(/^.*\/node_modules\//, '').replace(/^.*\/server\/dist\//, '')
  return `${file}:${lineNumber + 1}`
}
