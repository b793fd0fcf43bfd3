const READ_SECRETS = { readValue: 'read', describeSecret: 'read' }
const GRANT = { 'assign-role': 'grant-privileges', 'assign-additional-privileges': 'grant-privileges' }

/** Older actions under which newer ones have been split off. */
const UMBRELLAS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map<string, Record<string, string>>([
  ['secrets', READ_SECRETS],
  ['identity', GRANT],
  ['member', GRANT],
  ['groups', GRANT],
])

/** The older action that includes this one: whoever holds it holds this, and whoever is denied this is denied it. */
export const umbrellaOf = (subject: string, action: string): string | undefined => {
  const umbrellas = UMBRELLAS.get(subject)
  return umbrellas && Object.hasOwn(umbrellas, action) ? umbrellas[action] : undefined
}
