import type { Job } from '../../platform/jobs/job-runner.ts'
import { KEPT_MS, KnownProvider, type ProviderDeps, type ProviderKeySet, type RefreshMs } from './known-provider.ts'
import { type Provider, providerIdOf } from './provider-documents.ts'
import * as store from './provider-keys.store.ts'

type Deps = Omit<ProviderDeps, 'refreshMs'> & { refreshMs?: RefreshMs }

const REFRESH_MS: RefreshMs = { min: 60_000, usual: 300_000, max: 3_600_000 }
const PURGE_EVERY_MS = 3_600_000
/** At most some 70 kB each. */
const PROVIDERS_MAX = 500

/** The keys of the OpenID providers that identities log in by. */
export class ProviderKeys {
  readonly #deps: ProviderDeps
  /** The one used last at the end. */
  readonly #providers = new Map<string, KnownProvider>()

  constructor(deps: Deps) {
    this.#deps = { ...deps, refreshMs: deps.refreshMs ?? REFRESH_MS }
  }

  find<T>(provider: Provider, pick: (known: ProviderKeySet) => T | undefined): Promise<T | undefined> {
    return this.#get(provider).find(pick)
  }

  /** Forgets what is too old to be used. */
  readonly purgeJob: Job = {
    name: 'purge provider keys',
    everyMs: PURGE_EVERY_MS,
    run: () => store.deleteFetchedBefore(this.#deps.db.pool, new Date(this.#deps.clock.now() - KEPT_MS)),
  }

  close(): void {
    for (const provider of this.#providers.values()) provider.close()
    this.#providers.clear()
  }

  #get(provider: Provider): KnownProvider {
    const id = providerIdOf(provider).toString('base64')
    const known = this.#providers.get(id) ?? new KnownProvider(this.#deps, provider)
    this.#providers.delete(id)
    this.#providers.set(id, known)
    if (this.#providers.size > PROVIDERS_MAX) this.#forgetOldest()
    return known
  }

  #forgetOldest(): void {
    for (const [id, provider] of this.#providers) {
      provider.close()
      this.#providers.delete(id)
      return
    }
  }
}
