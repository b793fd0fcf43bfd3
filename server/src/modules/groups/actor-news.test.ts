import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Follower } from '../../platform/changes/followers.ts'
import { ActorNews } from './actor-news.ts'

const listen = () => {
  let follower: Follower = {}
  const news = new ActorNews({
    follow: (given) => {
      follower = given
      return () => undefined
    },
  })
  const tell = (...scopes: string[]) => follower.takeAway?.(scopes.map((scope) => ({ scope, kind: 'any' })))
  return { news, tell, reset: () => follower.reset?.('started') }
}

describe('news of actors', () => {
  test('are told from a position on, each once, and nothing but actors', () => {
    const { news, tell } = listen()
    tell('actor:a')
    const { position } = news
    assert.deepEqual(news.since(position), [])
    tell('actor:b', 'project:p', 'actor:c', 'actor:b')
    assert.deepEqual(news.since(position), ['b', 'c'])
    assert.deepEqual(news.since(news.position), [])
  })

  test('of too long ago are not told at all', () => {
    const { news, tell } = listen()
    const { position } = news
    for (let number = 0; number < 4_001; number++) tell(`actor:${number}`)
    assert.equal(news.since(position), undefined)
    assert.equal(news.since(news.position - 2_000)?.length, 2_000)
  })

  test('begin anew after a reset: whoever asks from before cannot be told', () => {
    const { news, tell, reset } = listen()
    tell('actor:a')
    const { position } = news
    reset()
    assert.equal(news.since(position), undefined)
    assert.deepEqual(news.since(news.position), [])
  })
})
