import type { Credential } from './credentials.ts'
import { keyOf, Subscriber } from './subscriber.ts'

/** Those that have streams or are about to, found by what may concern them. */
export class Subscribers {
  readonly #byKey = new Map<string, Subscriber>()
  readonly #byProject = new Map<string, Set<Subscriber>>()
  readonly #byScope = new Map<string, Set<Subscriber>>()

  /** The one of this credential in this project, new if need be. It stays while it is used. */
  ensure(credential: Credential, projectId: string): Subscriber {
    const known = this.#byKey.get(keyOf(credential, projectId))
    if (known) return known
    const subscriber = new Subscriber(credential, projectId)
    this.#byKey.set(subscriber.key, subscriber)
    addTo(this.#byProject, projectId, subscriber)
    for (const scope of subscriber.scopes) addTo(this.#byScope, scope, subscriber)
    return subscriber
  }

  forgetUnused(subscriber: Subscriber): void {
    if (subscriber.isUsed || this.#byKey.get(subscriber.key) !== subscriber) return
    this.#byKey.delete(subscriber.key)
    deleteFrom(this.#byProject, subscriber.projectId, subscriber)
    for (const scope of subscriber.scopes) deleteFrom(this.#byScope, scope, subscriber)
  }

  all(): Iterable<Subscriber> {
    return this.#byKey.values()
  }

  in(projectId: string): Iterable<Subscriber> {
    return this.#byProject.get(projectId) ?? []
  }

  has(projectId: string): boolean {
    return this.#byProject.has(projectId)
  }

  concernedBy(scope: string): Iterable<Subscriber> {
    return this.#byScope.get(scope) ?? []
  }
}

const addTo = (index: Map<string, Set<Subscriber>>, key: string, subscriber: Subscriber): void => {
  const present = index.get(key)
  if (present) present.add(subscriber)
  else index.set(key, new Set([subscriber]))
}

const deleteFrom = (index: Map<string, Set<Subscriber>>, key: string, subscriber: Subscriber): void => {
  const present = index.get(key)
  present?.delete(subscriber)
  if (present?.size === 0) index.delete(key)
}
