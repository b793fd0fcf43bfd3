import { sql } from 'kysely'
import type { Db } from '../../../platform/db/db.ts'
import type { ExtendedKeyUsage, KeyUsage } from '../x509/usages.ts'

/** What a template lets an authority issue. */
export type IssuingTemplate = {
  id: string
  caId: string
  commonName: string
  subjectAlternativeName: string
  ttl: string
  keyUsages: KeyUsage[]
  extendedKeyUsages: ExtendedKeyUsage[]
}

export const findById = async (db: Db, id: string): Promise<IssuingTemplate | undefined> => {
  const { rows } = await sql<IssuingTemplate>`
    select id, ca_id, common_name, subject_alternative_name, ttl, key_usages, extended_key_usages
    from certificate_templates where id = ${id}`.execute(db)
  return rows[0]
}
