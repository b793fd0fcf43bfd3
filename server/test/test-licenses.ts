import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { newId } from '../src/lib/uuid.ts'
import { EVENT_SUBSCRIPTIONS, issueLicense, type License, publicKeyText } from '../src/modules/licenses/license.ts'

const DAY_MS = 86_400_000

/** Someone who signs licences. */
export class TestIssuer {
  readonly publicKey: string
  readonly privateKey: KeyObject

  constructor() {
    const pair = generateKeyPairSync('ed25519')
    this.publicKey = publicKeyText(pair.publicKey)
    this.privateKey = pair.privateKey
  }

  /** For every organization and a year from now, unless told otherwise. */
  issue(changes: Partial<License> = {}): string {
    return issueLicense({ ...licenseFromNow(), ...changes }, this.privateKey)
  }
}

export const licenseFromNow = (): License => ({
  id: newId(),
  licensee: 'Acme Inc',
  organizationId: undefined,
  features: [EVENT_SUBSCRIPTIONS],
  seats: null,
  startsAt: Date.now() - 1_000,
  endsAt: Date.now() + 365 * DAY_MS,
})
