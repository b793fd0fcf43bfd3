/** What can be subscribed to: the change that it tells of, and the right that it takes. */
export const EVENTS = {
  'secret:create': { change: 'secret-created', action: 'subscribe-to-creation-events' },
  'secret:update': { change: 'secret-updated', action: 'subscribe-to-update-events' },
  'secret:delete': { change: 'secret-deleted', action: 'subscribe-to-deletion-events' },
  'secret:import-mutation': { change: 'import-mutated', action: 'subscribe-to-import-mutation-events' },
} as const

export type EventName = keyof typeof EVENTS

export const EVENT_NAMES = ['secret:create', 'secret:update', 'secret:delete', 'secret:import-mutation'] as const

const NAMES_BY_CHANGE = new Map<string, EventName>(EVENT_NAMES.map((name) => [EVENTS[name].change, name]))

export const eventNameOf = (changeKind: string): EventName | undefined => NAMES_BY_CHANGE.get(changeKind)
