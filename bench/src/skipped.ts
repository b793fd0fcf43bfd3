/** A case that is not measured, and the reason as the table says it. */
export class Skipped extends Error {}

export const notBuilt = () => new Skipped('not built')
