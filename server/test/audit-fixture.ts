import { AuditLog, type AuditActor } from '../src/modules/audit/audit.service.ts'
import { AuditSealer } from '../src/modules/audit/sealer.ts'
import { newId } from '../src/lib/uuid.ts'
import { Keyring } from '../src/platform/crypto/keyring.ts'
import { loadRootKeys } from '../src/platform/crypto/root-key-settings.ts'
import type { Database } from '../src/platform/db/db.ts'

const ROOT_KEY = Buffer.alloc(32, 9).toString('base64')

export const ORGANIZATION_ID = newId()

export const ACTOR: AuditActor = {
  type: 'identity',
  id: newId(),
  name: 'deployer',
  organizationId: ORGANIZATION_ID,
  authMethod: 'universal-auth',
  tokenId: newId(),
  isInstanceAdmin: false,
  claims: {},
  origin: { ip: '203.0.113.7', userAgent: 'cli', requestId: 'req-00000000000000' },
}

/** Opens the log of a database, with its own keys and no job running. */
export const openAuditLog = async (db: Database) => {
  const keyring = new Keyring({ db, roots: await loadRootKeys({ rootKey: ROOT_KEY }) })
  await keyring.establish()
  const audit = new AuditLog({ db, clock: Date })
  const sealer = new AuditSealer({ db, keyring })
  return {
    keyring,
    audit,
    sealer,
    /** Notes that many events and seals them. */
    sealRows: async (count: number): Promise<void> => {
      const events = Array.from({ length: count }, (_, number) => ({ type: 'get-secret', metadata: { number } }))
      await Promise.all(events.map((event) => audit.note(ACTOR, event)))
      await sealer.run()
    },
  }
}
