import assert from 'node:assert/strict'

/** Asks again and again until it is refused. What was asked within the second may still be answered after it. */
export const assertEndsWithinASecond = async (isAccepted: () => Promise<boolean>): Promise<void> => {
  const since = performance.now()
  for (let askedAt = since; await isAccepted(); askedAt = performance.now()) {
    assert.ok(askedAt - since < 1_000, 'it was accepted after a second')
  }
}
