export type Percentiles = { p50: number; p90: number; p99: number }

/** The value below which that share of the sorted values lies (nearest rank); NaN when there are none. */
export const percentile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN

export const percentiles = (values: Float64Array): Percentiles => {
  const sorted = values.slice().sort()
  return { p50: percentile(sorted, 0.5), p90: percentile(sorted, 0.9), p99: percentile(sorted, 0.99) }
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((one, other) => one - other)
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN
  return (lower + upper) / 2
}

/** The element in the middle by its figure; of an even number, the lower of the two. */
export const middleBy = <T>(elements: readonly [T, ...T[]], figure: (element: T) => number): T => {
  const sorted = [...elements].sort((one, other) => figure(one) - figure(other))
  return sorted[Math.ceil(sorted.length / 2) - 1] ?? elements[0]
}
