import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Table } from './matrix/case.ts'
import { IN_CERTIFICATES } from './matrix/in-certificates.ts'
import { IN_MACHINE_LOGINS } from './matrix/in-machine-logins.ts'
import { IN_MEMBERSHIPS } from './matrix/in-memberships.ts'
import { IN_ORGANIZATIONS } from './matrix/in-organizations.ts'
import { IN_PROJECTS } from './matrix/in-projects.ts'
import { IN_SECRETS } from './matrix/in-secrets.ts'
import { IN_SESSIONS } from './matrix/in-sessions.ts'
import { Walk } from './matrix/walk.ts'
import { startTestServer } from './test-server.ts'

/** Who may do what, written by hand. A new route needs a row in one of these. */
const TABLE: Table = {
  ...IN_SESSIONS,
  ...IN_ORGANIZATIONS,
  ...IN_MACHINE_LOGINS,
  ...IN_PROJECTS,
  ...IN_MEMBERSHIPS,
  ...IN_SECRETS,
  ...IN_CERTIFICATES,
}

const server = await startTestServer({ OUTBOUND_ALLOWED_CIDRS: '127.0.0.1' })
const walk = await Walk.on(server)
/** What is left out of the document of the interface serves files and numbers, and has tests of its own. */
const operations = server.app.http.operations.filter(({ config }) => !config.operation.hidden)

describe('the matrix of rights', () => {
  test('has a row for every route, and a route for every row', () => {
    const ids = operations.map(({ config }) => config.operation.id)
    const withoutRow = ids.filter((id) => TABLE[id] === undefined)
    const withoutRoute = Object.keys(TABLE).filter((id) => !ids.includes(id))
    assert.deepEqual({ withoutRow, withoutRoute }, { withoutRow: [], withoutRoute: [] })
  })

  for (const operation of operations) {
    const { id } = operation.config.operation
    test(`${id} lets in whom it should, where it should`, async () => {
      for (const one of [TABLE[id] ?? []].flat()) assert.deepEqual(await walk.mistakesIn(operation, one), [])
    })
  }
})
