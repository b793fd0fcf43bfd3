import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/db.ts'
import type { ProjectAbility } from '../../permissions/ability.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { PermissionService } from '../../permissions/permissions.service.ts'
import type { CertManagerProjects } from '../projects/cert-manager-projects.service.ts'
import { mayReadAll, RULED_MAX } from '../readable-pages.ts'
import { type CertificateSearch, filterOf } from './certificate-search.ts'
import * as store from './certificate-search.store.ts'
import { fieldsOf } from './certificate-status.ts'
import { shownAt } from './certificate-views.ts'

type Deps = { db: Database; permissions: PermissionService; clock: Clock; certManagerProjects: CertManagerProjects }

/** Finds certificates of a project, page by page. */
export class CertificateSearchService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async search(actor: Actor, givenProjectId: string, search: CertificateSearch) {
    const projectId = await this.#deps.certManagerProjects.resolve(actor, givenProjectId)
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('read', 'certificates')
    const now = this.#deps.clock.now()
    const scope = { projectId, filter: filterOf(search), now: new Date(now) }
    const order = { by: search.sortBy ?? 'notAfter', direction: search.sortOrder ?? 'desc' }
    const { rows, totalCount } = mayReadAll(ability.present, 'certificates')
      ? await this.#page(scope, order, search)
      : await this.#readablePage(ability.present, scope, order, search)
    return { certificates: rows.map((row) => ({ ...row, ...shownAt(row, now) })), totalCount }
  }

  async searchBySlug(actor: Actor, slug: string, search: CertificateSearch) {
    return this.search(actor, await this.#deps.certManagerProjects.resolveBySlug(actor, slug), search)
  }

  async #page(scope: Scope, order: store.Order, page: store.Page): Promise<Found> {
    const [rows, totalCount] = await Promise.all([
      store.list(this.#deps.db.pool, scope, order, page),
      store.count(this.#deps.db.pool, scope),
    ])
    return { rows, totalCount }
  }

  /** Rules know more than SQL, so they are asked here, one certificate after the other. */
  async #readablePage(ability: ProjectAbility, scope: Scope, order: store.Order, page: store.Page): Promise<Found> {
    const { offset, limit } = page
    const ruled = await store.listRuled(this.#deps.db.pool, scope, order, RULED_MAX)
    const mayRead = ability.within('read', 'certificates', {})
    const readable = ruled.filter((certificate) => mayRead(fieldsOf(certificate, scope.now.getTime())))
    const ids = readable.slice(offset, offset + limit).map(({ id }) => id)
    return { rows: await store.listByIds(this.#deps.db.pool, ids, order), totalCount: readable.length }
  }
}

type Scope = Parameters<typeof store.list>[1]
type Found = { rows: store.ListedCertificate[]; totalCount: number }
