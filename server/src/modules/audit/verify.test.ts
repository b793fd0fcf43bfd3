import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { ACTOR, openAuditLog } from '../../../test/audit-fixture.ts'
import { openTestDatabase } from '../../../test/test-database.ts'
import { newId } from '../../lib/uuid.ts'
import { auditVerify } from '../../commands/audit-verify.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { type Anchor, type Fault, verifyAuditLog } from './verify.ts'

const { db } = await openTestDatabase()
const { audit, keyring, sealRows } = await openAuditLog(db)

const ROWS = 20
await sealRows(ROWS)
const positions = (
  await sql<{ position: number; logId: string; logSeq: number; mac: Buffer; createdAt: Date }>`
    select s.*, l.created_at from audit_seals s join audit_logs l on l.seq = s.log_seq order by position`.execute(
    db.pool,
  )
).rows
const at = (position: number) => positions[position - 1] ?? assert.fail()

const TABLES = ['audit_logs', 'audit_seals', 'audit_head']
for (const table of TABLES)
  await sql`create table ${sql.table(`kept_${table}`)} as table ${sql.table(table)}`.execute(db.pool)

const restore = async (): Promise<void> => {
  for (const table of TABLES) {
    await sql`delete from ${sql.table(table)}`.execute(db.pool)
    await sql`insert into ${sql.table(table)} overriding system value table ${sql.table(`kept_${table}`)}`.execute(
      db.pool,
    )
  }
}

/** What is found after these statements; the log is then put back. */
const faultAfter = async (...statements: string[]): Promise<{ fault: Fault | undefined; rows: number }> => {
  try {
    for (const statement of statements) await sql.raw(statement).execute(db.pool)
    const { fault, rows } = await verifyAuditLog({ db, keyring })
    return { fault, rows }
  } finally {
    await restore()
  }
}

const named = (kind: Fault['kind'], position: number) => {
  const { logId, createdAt } = at(position)
  return { kind, position, logId, at: createdAt }
}

describe('verifying', () => {
  test('finds a log that nobody touched to be right', async () => {
    const verdict = await verifyAuditLog({ db, keyring })
    assert.deepEqual([verdict.fault, verdict.rows, verdict.unsealed], [undefined, ROWS, 0])
    assert.deepEqual([verdict.head?.position, verdict.head?.mac], [ROWS, at(ROWS).mac])
  })

  test('counts rows that are not sealed yet', async () => {
    await audit.note(ACTOR, { type: 'get-secret', metadata: {} })
    assert.equal((await verifyAuditLog({ db, keyring })).unsealed, 1)
    await restore()
  })
})

describe('a row is named that was edited in its', () => {
  const edits: [column: string, value: string][] = [
    ['id', 'gen_random_uuid()'],
    ['xid', `'1'`],
    ['created_at', `created_at + interval '1 microsecond'`],
    ['organization_id', 'null'],
    ['project_id', 'gen_random_uuid()'],
    ['event_type', `'get-secrets'`],
    ['event_metadata', `event_metadata || '{"number": 99}'`],
    ['actor_type', `'user'`],
    ['actor_id', 'gen_random_uuid()'],
    ['actor_metadata', `'{}'`],
    ['ip_address', `'127.0.0.1'`],
    ['user_agent', 'null'],
    ['user_agent_type', `'web'`],
    ['request_id', `''`],
    ['result', `'refused'`],
  ]
  for (const [column, value] of edits) {
    test(column, async () => {
      const found = await faultAfter(`update audit_logs set ${column} = ${value} where seq = ${at(7).logSeq}`)
      assert.equal(found.rows, 6)
      assert.deepEqual([found.fault?.kind, found.fault?.position, found.fault?.logId], ['row-edited', 7, at(7).logId])
    })
  }

  test('number', async () => {
    const copy = `insert into audit_logs overriding system value
      select 999999, id, xid, created_at, organization_id, project_id, event_type, event_metadata, actor_type, actor_id,
        actor_metadata, ip_address, user_agent, user_agent_type, request_id, result
      from audit_logs where seq = ${at(7).logSeq}`
    const found = await faultAfter(copy, `delete from audit_logs where seq = ${at(7).logSeq}`)
    assert.deepEqual([found.fault?.kind, found.fault?.position], ['row-edited', 7])
  })

  test('first or last place', async () => {
    for (const position of [1, ROWS]) {
      const found = await faultAfter(`update audit_logs set result = 'refused' where seq = ${at(position).logSeq}`)
      assert.deepEqual(found.fault, named('row-edited', position))
    }
  })
})

describe('it is found when', () => {
  test('a row was removed', async () => {
    const { fault } = await faultAfter(`delete from audit_logs where seq = ${at(9).logSeq}`)
    assert.deepEqual([fault?.kind, fault?.position, fault?.logId], ['row-removed', 9, at(9).logId])
    assert.ok(fault?.at && Math.abs(fault.at.getTime() - at(9).createdAt.getTime()) < 5_000)
  })

  test('a row was removed with its seal', async () => {
    const { fault } = await faultAfter(
      `delete from audit_logs where seq = ${at(9).logSeq}`,
      'delete from audit_seals where position = 9',
    )
    assert.deepEqual(fault, { kind: 'seal-missing', position: 9 })
  })

  test('a seal was removed', async () => {
    const { fault } = await faultAfter('delete from audit_seals where position = 1')
    assert.deepEqual(fault, { kind: 'seal-missing', position: 1 })
  })

  test('a seal was edited, in the middle or at the end', async () => {
    for (const position of [4, ROWS]) {
      const { fault } = await faultAfter(`update audit_seals set mac = '\\x00' where position = ${position}`)
      assert.deepEqual(fault, named('seal-edited', position))
    }
    const { fault } = await faultAfter('update audit_seals set log_id = gen_random_uuid() where position = 4')
    assert.deepEqual([fault?.kind, fault?.position], ['seal-edited', 4])
  })

  test('a row and its seal were removed and the later ones moved up', async () => {
    const { fault } = await faultAfter(
      `delete from audit_logs where seq = ${at(9).logSeq}`,
      'delete from audit_seals where position = 9',
      'update audit_seals set position = position - 1001 where position > 9',
      'update audit_seals set position = position + 1000 where position < 0',
    )
    assert.deepEqual([fault?.kind, fault?.position], ['row-edited', 9])
  })

  test('two rows were swapped', async () => {
    const [left, right] = [at(5).logSeq, at(6).logSeq]
    const { fault } = await faultAfter(`update audit_logs l set event_metadata = o.event_metadata
      from audit_logs o where l.seq in (${left}, ${right}) and o.seq = ${left} + ${right} - l.seq`)
    assert.deepEqual(fault, named('row-edited', 5))
  })

  test('two seals were swapped', async () => {
    const { fault } = await faultAfter(
      `update audit_seals set log_seq = -log_seq where position in (5, 6)`,
      `update audit_seals set log_seq = case position when 5 then ${at(6).logSeq} else ${at(5).logSeq} end,
         log_id = case position when 5 then '${at(6).logId}'::uuid else '${at(5).logId}'::uuid end
       where position in (5, 6)`,
    )
    assert.deepEqual([fault?.kind, fault?.position], ['row-edited', 5])
  })

  test('the end was cut off', async () => {
    const { fault, rows } = await faultAfter(
      'delete from audit_logs where seq in (select log_seq from audit_seals where position > 15)',
      'delete from audit_seals where position > 15',
    )
    assert.deepEqual([fault, rows], [{ kind: 'end-cut-off', position: 16 }, 15])
  })

  test('the end was cut off and the head moved back', async () => {
    const { fault } = await faultAfter(
      'delete from audit_logs where seq in (select log_seq from audit_seals where position > 15)',
      'delete from audit_seals where position > 15',
      'update audit_head set position = 15, mac = (select mac from audit_seals where position = 15)',
    )
    assert.deepEqual(fault, { kind: 'head-changed' })
  })

  test('any part of the head was changed', async () => {
    for (const change of [
      'position = position + 1',
      `mac = '\\x00'`,
      'base_position = 3',
      `base_mac = '\\x00'`,
      'sealed_seq = sealed_seq + 100',
      `sealed_snapshot = '5:5:'`,
      `signature = ''`,
      'key_id = null',
    ]) {
      const { fault } = await faultAfter(`update audit_head set ${change}`)
      assert.deepEqual([change, fault], [change, { kind: 'head-changed' }])
    }
    assert.deepEqual((await faultAfter('delete from audit_head')).fault, { kind: 'head-missing' })
  })

  test('a row was put among the old ones', async () => {
    const { fault } = await faultAfter(`insert into audit_logs overriding system value
      select 0, gen_random_uuid(), xid, created_at, organization_id, project_id, event_type, event_metadata, actor_type,
        actor_id, actor_metadata, ip_address, user_agent, user_agent_type, request_id, result
      from audit_logs where seq = ${at(3).logSeq}`)
    assert.deepEqual([fault?.kind, fault?.at], ['row-never-sealed', at(3).createdAt])
  })

  test('a seal was added after the end', async () => {
    const { fault } = await faultAfter(
      `insert into audit_seals select ${ROWS} + 1, 999, gen_random_uuid(), mac from audit_seals where position = 1`,
    )
    assert.deepEqual([fault?.kind, fault?.position], ['seal-forged', ROWS + 1])
  })
})

describe('a link that was noted earlier', () => {
  const faultWith = async (anchor: Anchor) => (await verifyAuditLog({ db, keyring }, anchor)).fault

  test('is found again', async () => {
    const mac = at(12).mac.toString('hex')
    assert.equal(await faultWith({ position: 12, mac }), undefined)
    assert.equal(await faultWith({ position: 12, mac: mac.slice(0, 8) }), undefined)
  })

  test('unmasks another chain, or one that was put back to an earlier state', async () => {
    const other = { kind: 'other-chain', position: 12 }
    assert.deepEqual(await faultWith({ position: 12, mac: at(13).mac.toString('hex') }), other)
    assert.deepEqual(await faultWith({ position: ROWS + 5, mac: '00' }), { kind: 'end-cut-off', position: ROWS + 1 })
  })
})

describe('the command', () => {
  const run = async (expect?: string) => {
    const lines: string[] = []
    const code = await auditVerify({ db, keyring, write: (line) => lines.push(line), expect })
    return { code, text: lines.join('\n') }
  }

  test('prints the head, which it takes again later', async () => {
    const { code, text } = await run()
    assert.equal(code, 0)
    assert.match(
      text,
      /^20 rows verified, from position 1\nHead: 20:[0-9a-f]{16}\n0 rows not sealed yet\nThe audit log is/,
    )
    const [, head] = /Head: (\S+)/.exec(text) ?? []
    assert.equal((await run(head)).code, 0)
    assert.equal((await run('20:00000000')).code, 1)
    await assert.rejects(run('head'), OperatorError)
  })

  test('names what is wrong and exits with 1', async () => {
    await sql`update audit_logs set result = 'refused' where seq = ${at(2).logSeq}`.execute(db.pool)
    const { code, text } = await run()
    await restore()
    assert.equal(code, 1)
    assert.ok(
      text.includes(`TAMPERED: a row was edited (position 2, id ${at(2).logId}, ${at(2).createdAt.toISOString()})`),
    )
  })
})

describe('a chain that was begun anew', () => {
  const KEYS = `insert into keys (id, purpose, owner_id, root_key_id, wrapped, state)
    select $id, 'project-data', gen_random_uuid(), id, '', 'retired' from root_keys`
  const WIPE = [
    'delete from audit_seals',
    'delete from audit_logs',
    `update audit_head set key_id = null, position = 0, mac = '', base_position = 0, base_mac = '', sealed_seq = 0, signature = ''`,
    `delete from keys where purpose = 'audit-chain'`,
  ]

  /** A database of its own, since its keys change. */
  const wiped = async (...statements: string[]) => {
    const { db: own } = await openTestDatabase()
    const log = await openAuditLog(own)
    await log.sealRows(3)
    for (const statement of [...WIPE, ...statements]) await sql.raw(statement).execute(own.pool)
    return { db: own, ...log }
  }
  const organization = `insert into organizations (id, name, slug) values (gen_random_uuid(), 'Acme', 'acme')`

  test('is found out by the organizations that are there, when nothing follows', async () => {
    assert.equal((await verifyAuditLog(await wiped())).fault, undefined)
    assert.deepEqual((await verifyAuditLog(await wiped(organization))).fault, { kind: 'chain-begun-anew' })
  })

  test('is found out by keys that are much older, also when it has rows again', async () => {
    const yearsAgo = newId(Date.now() - 1_000 * 24 * 3_600_000)
    const log = await wiped(KEYS.replace('$id', `'${yearsAgo}'`))
    await log.audit.note(ACTOR, { type: 'get-secret', metadata: {} })
    assert.equal((await verifyAuditLog(log)).fault?.kind, 'chain-begun-anew')
    await log.sealer.run()
    assert.equal((await verifyAuditLog(log)).fault?.kind, 'chain-begun-anew')
  })

  test('and one that began with the first of its keys are told apart', async () => {
    const log = await wiped(KEYS.replace('$id', `'${newId()}'`))
    await log.sealRows(3)
    assert.equal((await verifyAuditLog(log)).fault, undefined)
  })
})
