import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { connectTo, createEmptyDatabase } from '../../../test/test-database.ts'
import { type Job, JobRunner } from './job-runner.ts'

const { url, drop } = await createEmptyDatabase()
after(drop)

const runner = (...jobs: Job[]): JobRunner =>
  new JobRunner({ connect: () => connectTo(url), jobs, log: pino({ level: 'silent' }) })

const eventually = async (condition: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 500 && !condition(); tries++) await sleep(10)
  assert.ok(condition(), 'did not happen within 5 s')
}

describe('the job runner', () => {
  test('runs a job again and again, and goes on after one fails', async () => {
    let runs = 0
    const alone = runner(
      { name: 'failing', everyMs: 0, run: () => Promise.reject(new Error('no')) },
      { name: 'counting', everyMs: 0, run: () => Promise.resolve(void (runs += 1)) },
    )
    alone.start()
    await eventually(() => runs >= 3)
    await alone.stop()
    const atStop = runs
    await sleep(300)
    assert.equal(runs, atStop)
  })

  test('lets one process of two do the work, and the other take over', async () => {
    const counts = [0, 0]
    const [first, second] = [0, 1].map((who) =>
      runner({ name: 'count', everyMs: 0, run: () => Promise.resolve(void (counts[who] = (counts[who] ?? 0) + 1)) }),
    )
    first?.start()
    await eventually(() => counts[0] !== 0)
    second?.start()
    await sleep(500)
    assert.equal(counts[1], 0)
    await first?.stop()
    await eventually(() => counts[1] !== 0)
    await second?.stop()
  })
})
