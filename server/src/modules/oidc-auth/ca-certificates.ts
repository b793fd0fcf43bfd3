import type { Keyring } from '../../platform/crypto/keyring.ts'
import { keyIdOf, open, type SealContext, seal } from '../../platform/crypto/sealing.ts'
import type { Db } from '../../platform/db/db.ts'

/** The configuration that a certificate belongs to. It opens only there. */
type Place = { id: string; organizationId: string }

const KEY_PURPOSE = 'organization-data'

/** Null for none. */
export const sealCertificate = async (
  { db, keyring }: { db: Db; keyring: Keyring },
  certificate: string,
  place: Place,
): Promise<Buffer | null> => {
  if (certificate === '') return null
  const key = await keyring.ensure(db, KEY_PURPOSE, place.organizationId)
  return seal(key, certificate, contextOf(place))
}

/** Empty for none. */
export const openCertificate = async (
  { db, keyring }: { db: Db; keyring: Keyring },
  sealed: Buffer | null,
  place: Place,
): Promise<string> => {
  if (sealed === null) return ''
  return open(await keyring.byId(db, keyIdOf(sealed)), sealed, contextOf(place)).toString()
}

const contextOf = ({ id, organizationId }: Place): SealContext => ({
  purpose: 'oidc-auth',
  organizationId,
  projectId: null,
  folderId: null,
  rowId: id,
  version: null,
  field: 'ca-certificate',
})
