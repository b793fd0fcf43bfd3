import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CpuProfile, selfTimes } from './cpu-profile.ts'

const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 4 })

const profile: CpuProfile = {
  startTime: 1_000_000,
  nodes: [
    { id: 1, callFrame: frame('(idle)') },
    { id: 2, callFrame: frame('parse', 'file:///somewhere/node_modules/zod/core.js') },
    { id: 3, callFrame: frame('serve', 'file:///somewhere/server/dist/src/app.js') },
    { id: 4, callFrame: frame('parse', 'file:///somewhere/node_modules/zod/core.js') },
  ],
  samples: [1, 2, 3, 4, 1],
  timeDeltas: [1_000, 2_000, 3_000, 4_000, 50_000],
}

test('self times are summed by function, longest first, and only of the busy time that was asked for', () => {
  assert.deepEqual(selfTimes(profile, { from: 1_002_000, to: 1_070_000 }), [
    { name: 'parse', place: 'zod/core.js:5', milliseconds: 6, share: 6 / 9 },
    { name: 'serve', place: 'src/app.js:5', milliseconds: 3, share: 3 / 9 },
  ])
  assert.deepEqual(selfTimes(profile, { from: 1_020_000, to: 1_070_000 }), [])
})
