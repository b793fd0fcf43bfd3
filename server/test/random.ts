/** For tests that try many things: the same seed tries the same. */
export const seedOf = (fallback: number): number => Number(process.env['TEST_SEED'] ?? fallback)

/** Small numbers whose order one seed decides. */
export const randomFrom = (seed: number) => {
  let state = seed >>> 0
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
