import assert from 'node:assert/strict'
import { test } from 'node:test'
import { belongsTo } from './postgres-processes.ts'

const cluster = { name: 'holdfast-a-1', user: { uid: 101, gid: 101 } }
const postmaster = '/srv/my app/native/bin/postgres -D /data/postgres -c cluster_name=holdfast-a-1 -c listen_addresses='

for (const [expected, uid, command] of [
  [true, 101, postmaster],
  [true, 101, 'postgres: holdfast-a-1: checkpointer'],
  [true, 101, 'postgres: holdfast-a-1: holdfast holdfast [local] idle'],
  [false, 102, postmaster],
  [false, 102, 'postgres: holdfast-a-1: checkpointer'],
  [false, 101, 'postgres: holdfast-a-12: checkpointer'],
  [false, 101, 'postgres: checkpointer'],
  [false, 101, postmaster.replace('holdfast-a-1', 'holdfast-a-12')],
  [false, 101, postmaster.replace(/-c cluster_name=\S+ /, '')],
  [false, 101, `grep ${postmaster}`.replace('/bin/postgres', '/bin/psql')],
  [false, 101, ''],
] as const) {
  test(`${expected ? 'ours' : 'not ours'}: uid ${uid}, '${command}'`, () => {
    assert.equal(belongsTo(cluster, { pid: 1, uid, command }), expected)
  })
}
