/** The system's name of a failure (`ENOENT`), or undefined for errors that do not come from it. */
export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** Awaits the work; a failure with one of these codes counts as undefined. */
export const unless = async <T>(codes: string[], work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work
  } catch (error) {
    if (codes.includes(errnoOf(error) ?? '')) return undefined
    throw error
  }
}
