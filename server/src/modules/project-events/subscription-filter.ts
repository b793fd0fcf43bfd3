import { compileGlob, type Glob } from '../../lib/glob.ts'
import type { ProjectAbility } from '../permissions/ability.ts'
import { EVENTS, type EventName } from './event-names.ts'
import type { Subscription } from './project-events.schemas.ts'

export type EventPlace = { name: EventName; environment: string; path: string }

type Entry = {
  event: EventName
  /** Empty: any. */
  environment: string
  /** Undefined: any. */
  matchesPath: Glob | undefined
  /** The pattern itself: what a rule is asked about, as if it were a path. */
  pattern: string
}

const SUBJECT = 'secret-event-subscriptions'

/** Which of a project's events one subscription is about. */
export class SubscriptionFilter {
  readonly #entries: readonly Entry[]

  constructor(register: Subscription['register']) {
    this.#entries = register.map(({ event, conditions }) => ({
      event,
      environment: conditions?.environmentSlug ?? '',
      matchesPath: conditions?.secretPath ? matcherOf(conditions.secretPath) : undefined,
      pattern: conditions?.secretPath ?? '/',
    }))
  }

  wants({ name, environment, path }: EventPlace): boolean {
    for (const entry of this.#entries) {
      if (entry.event !== name) continue
      if (entry.environment !== '' && entry.environment !== environment) continue
      if (!entry.matchesPath || entry.matchesPath(path)) return true
    }
    return false
  }

  /** Throws unless every entry may be subscribed to; one that names no environment needs the right in all of them. */
  requireAllowed(ability: ProjectAbility, environments: readonly string[]): void {
    for (const { event, environment, pattern } of this.#entries) {
      // Without a name it is asked of the empty one too: the stream would also tell of environments yet to come.
      for (const slug of environment === '' ? ['', ...environments] : [environment]) {
        ability.require(EVENTS[event].action, SUBJECT, { environment: slug, secretPath: pattern })
      }
    }
  }
}

export const mayHearOf = (ability: ProjectAbility, { name, environment, path }: EventPlace): boolean =>
  ability.can(EVENTS[name].action, SUBJECT, { environment, secretPath: path })

/** What is no pattern stands for itself. */
const matcherOf = (pattern: string): Glob => compileGlob(pattern) ?? ((path) => path === pattern)
