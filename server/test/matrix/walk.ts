import type { RegisteredOperation } from '../../src/platform/http/operations.ts'
import type { Answer, TestServer } from '../test-server.ts'
import type { Case } from './case.ts'
import { type Caller, castOf } from './cast.ts'
import { type Furnishing, nothingOf } from './place.ts'

type PlaceName = 'own' | 'other' | 'foreign'
type Verdict = 'admitted' | 'refused' | 'hidden' | 'not known' | `neither: ${number}`
type Call = { operation: RegisteredOperation; one: Case }

const PLACES: Record<'project' | 'organization' | 'caller', readonly PlaceName[]> = {
  project: ['own', 'other', 'foreign'],
  organization: ['own', 'foreign'],
  caller: ['own'],
}

/** What says in which project or organization to look; the rest says for what. */
const SCOPE = [
  ...(['organizationId', 'orgId', 'projectId', 'workspaceId', 'projectSlug'] as const),
  ...(['certProjectId', 'certProjectSlug'] as const),
]

/** Makes each call of the table as everyone, everywhere, and tells where the answer is not what the table says. */
export class Walk {
  readonly #server: TestServer
  readonly #cast: Awaited<ReturnType<typeof castOf>>

  private constructor(server: TestServer, cast: Awaited<ReturnType<typeof castOf>>) {
    this.#server = server
    this.#cast = cast
  }

  static async on(server: TestServer): Promise<Walk> {
    return new Walk(server, await castOf(server))
  }

  async mistakesIn(operation: RegisteredOperation, one: Case): Promise<string[]> {
    const call = { operation, one }
    const { reach } = one
    if (typeof reach === 'object') return this.#mistakesOfOpen(call, reach.open)
    const mistakes: string[] = []
    for (const place of PLACES[reach]) mistakes.push(...(await this.#mistakesAt(call, place)))
    if (reach === 'caller') return mistakes
    return [...mistakes, ...(await this.#revealed(call)), ...(await this.#smuggled(call))]
  }

  async #mistakesOfOpen(call: Call, expected: number): Promise<string[]> {
    if (call.operation.config.auth !== 'public') return ['it is open in the table, and asks for a token']
    const { status } = await this.#ask(call, this.#cast.own.has, undefined)
    return status === expected ? [] : [`anonymous: ${status} instead of ${expected}`]
  }

  /** Who is to be refused changes nothing, and all of them may come at once; what the others use up is made anew. */
  async #mistakesAt(call: Call, name: PlaceName): Promise<string[]> {
    const place = this.#cast[name]
    const prepared = async () => ({ ...place.has, ...(await call.one.prepare?.(place)) })
    const everyone = [undefined, ...this.#cast.callers]
    const isWelcome = (caller: Caller | undefined) => expectedOf(call.one, caller, name).includes('admitted')

    const has = await prepared()
    const refused = everyone.filter((caller) => !isWelcome(caller))
    const found = await Promise.all(refused.map((caller) => this.#mistake(call, { name, has, caller })))
    for (const caller of everyone.filter(isWelcome)) {
      found.push(await this.#mistake(call, { name, has: await prepared(), caller }))
    }
    return found.filter((mistake) => mistake !== undefined)
  }

  async #mistake(
    call: Call,
    { name, has, caller }: { name: PlaceName; has: Furnishing; caller: Caller | undefined },
  ): Promise<string | undefined> {
    const answer = await this.#ask(call, has, caller)
    const found = answer.status === call.one.admits ? 'admitted' : verdictOf(answer)
    const expected = expectedOf(call.one, caller, name)
    if (expected.includes(found)) return undefined
    return `${caller?.name ?? 'anonymous'}, ${name}: ${found} instead of ${expected.join(' or ')}: ${answer.text}`
  }

  /** What is in another organization must look like what is nowhere, to whoever would be let in at home. */
  async #revealed(call: Call): Promise<string[]> {
    const { has } = this.#cast.foreign
    return this.#differences(call, has, nothingOf(has))
  }

  /** So must something foreign that is named together with the own project and organization. */
  async #smuggled(call: Call): Promise<string[]> {
    const { own, foreign } = this.#cast
    const scope = Object.fromEntries(SCOPE.map((name) => [name, own.has[name]]))
    const has: Furnishing = { ...foreign.has, ...scope }
    if (!mentions(requestOf(call, has), Object.values(foreign.has))) return []
    return this.#differences(call, has, { ...nothingOf(has), ...scope })
  }

  async #differences(call: Call, foreign: Furnishing, nowhere: Furnishing): Promise<string[]> {
    const mistakes: string[] = []
    for (const caller of this.#strong()) {
      const [one, two] = await Promise.all([this.#ask(call, foreign, caller), this.#ask(call, nowhere, caller)])
      if (one.status === two.status && one.body.error === two.body.error && isNothing(one)) continue
      mistakes.push(`${caller.name}: something foreign ${one.text}, and something that is nowhere ${two.text}`)
    }
    return mistakes
  }

  #strong(): Caller[] {
    return this.#cast.callers.filter(({ organization, project }) => organization === 'admin' || project === 'admin')
  }

  /** As a person where only people may call. */
  #ask(call: Call, has: Furnishing, caller: Caller | undefined): Promise<Answer> {
    const { method, config } = call.operation
    const { url, body, query, token } = requestOf(call, has)
    const own = config.auth.includes('identity') ? caller?.identity.token : caller?.user.token
    const options = { token: caller && (token ?? own), ...(query && { query }) }
    return this.#server.request(method, url, body, options)
  }
}

const requestOf = ({ operation, one }: Call, has: Furnishing) => {
  const { path, ...rest } = one.send?.(has) ?? {}
  const values: Partial<Record<string, string>> = { ...has, ...path }
  const url = operation.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  return { url, ...rest }
}

const mentions = (request: object, values: readonly string[]): boolean => {
  const text = JSON.stringify(request)
  return values.some((value) => value !== '' && text.includes(value))
}

/** A refusal of the caller or of the request, or a list that is empty. */
const isNothing = ({ status, body }: Answer): boolean =>
  [400, 403, 404].includes(status) || Object.values(body as object).every((value) => isEmptyList(value))

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

const verdictOf = ({ status }: Answer): Verdict => {
  if (status >= 200 && status < 300) return 'admitted'
  if (status === 401) return 'not known'
  if (status === 403) return 'refused'
  return status === 404 ? 'hidden' : `neither: ${status}`
}

/** Whoever has no rights at all may be refused before anyone looks for what is foreign. */
const expectedOf = (one: Case, caller: Caller | undefined, place: PlaceName): Verdict[] => {
  if (!caller) return ['not known']
  if (place === 'foreign') return ['hidden', 'refused', `neither: ${one.unknownProject ?? 404}`]
  const isInProject = place === 'own' && caller.project !== undefined
  if (one.inOrganization.includes(caller.organization)) return ['admitted']
  if (isInProject && one.inProject.some((role) => role === caller.project)) return ['admitted']
  return one.isHidden && !isInProject ? ['hidden'] : ['refused']
}
