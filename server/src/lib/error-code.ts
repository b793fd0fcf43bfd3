/** What the system (`ENOENT`), PostgreSQL (`23505`) or the framework calls a failure; undefined for errors of other origin. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** Awaits the work; a failure with one of these codes counts as undefined. */
export const unless = async <T>(codes: string[], work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work
  } catch (error) {
    if (codes.includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}
