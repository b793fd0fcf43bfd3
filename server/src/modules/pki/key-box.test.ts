import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '../../lib/uuid.ts'
import { startPkiServer } from '../../../test/test-authorities.ts'
import { KeyBox, type KeyPlace, toPkcs8 } from './key-box.ts'
import { generateKeyPair } from './x509/key-algorithms.ts'

const { server, project } = await startPkiServer()
const { keyring, db } = server.app.services
const box = new KeyBox({ keyring })
const { privateKey } = await generateKeyPair('ED25519')
const place: KeyPlace = { purpose: 'authority-key', projectId: project.id, rowId: newId() }

describe('a sealed private key', () => {
  test('opens in its place and shows nothing of itself', async () => {
    const sealed = await box.seal(db.pool, place, privateKey)
    assert.ok(!sealed.includes(toPkcs8(privateKey).subarray(-32)))
    assert.deepEqual(toPkcs8(await box.open(db.pool, place, sealed)), toPkcs8(privateKey))
  })

  test('opens in no other row and for no other purpose', async () => {
    const sealed = await box.seal(db.pool, place, privateKey)
    for (const other of [
      { ...place, rowId: newId() },
      { ...place, projectId: newId() },
      { ...place, purpose: 'certificate-key' as const },
    ]) {
      await assert.rejects(() => box.open(db.pool, other, sealed))
    }
  })
})
