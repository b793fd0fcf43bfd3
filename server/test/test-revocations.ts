import { after } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { newId } from '../src/lib/uuid.ts'
import { issueCertificate, type CertificateRequest } from '../src/modules/pki/x509/certificate.ts'
import { context, objectIdentifier, octetString, sequence, TAG } from '../src/modules/pki/x509/der.ts'
import { DerReader, readHexInteger } from '../src/modules/pki/x509/der-reader.ts'
import { readCertificate } from '../src/modules/pki/x509/certificate-reader.ts'
import { exportPublicKey, generateKeyPair, type KeyAlgorithm } from '../src/modules/pki/x509/key-algorithms.ts'
import { newRoot, requestOf, type TestAuthority } from './test-signers.ts'
import { Revocations } from '../src/modules/pki/revocation/revocations.service.ts'
import { ChangeFeed } from '../src/platform/changes/feed.ts'
import type { Database } from '../src/platform/db/db.ts'
import { TestClock } from './test-clock.ts'

export type KeptAuthority = TestAuthority & { caId: string; listId: string }
type Target = { serialNumber: string; notAfter?: Date }

const leafKeys = await generateKeyPair('EC_prime256v1')

/** The revocations of authorities whose keys the test holds: the rest of the certificate manager is not needed. */
export class RevocationBench {
  readonly clock = new TestClock()
  readonly changes: ChangeFeed
  readonly revocations: Revocations
  readonly db: Database
  /** Shared with other processes on the same database. */
  readonly signers: Map<string, TestAuthority>

  private constructor(db: Database, url: string, signers: Map<string, TestAuthority>) {
    this.db = db
    this.signers = signers
    this.changes = new ChangeFeed({ db, direct: { url, applicationName: 'revocation-test' } })
    this.clock.following(this.changes.clock)
    this.revocations = new Revocations(this.deps)
  }

  static async start(db: Database, url: string, signers = new Map<string, TestAuthority>()): Promise<RevocationBench> {
    const bench = new RevocationBench(db, url, signers)
    bench.changes.start()
    after(async () => {
      await bench.revocations.close()
      await bench.changes.stop()
    })
    await bench.changes.readNow()
    return bench
  }

  get deps() {
    const signer = (caId: string) => {
      const issuer = this.signers.get(caId)
      return Promise.resolve(issuer && { issuer })
    }
    return {
      db: this.db,
      changes: this.changes,
      clock: this.clock,
      log: pino({ level: 'silent' }),
      signers: { signer, signerIn: (_: unknown, caId: string) => signer(caId) },
      config: { siteUrl: 'http://pki.example' },
    }
  }

  /** One with a certificate and an empty list. */
  async authority(algorithm: KeyAlgorithm = 'EC_prime256v1', authority?: TestAuthority): Promise<KeptAuthority> {
    const signer = authority ?? (await newRoot(algorithm))
    const caId = newId()
    await insertAuthority(this.db, caId, signer)
    const listId = await this.db.transaction((tx) => this.revocations.createList(tx, caId))
    this.signers.set(caId, signer)
    await this.revocations.published(caId)
    return { ...signer, caId, listId }
  }

  /** A certificate that the authority has in its books. */
  async issue(
    authority: KeptAuthority,
    wishes: Partial<CertificateRequest> = {},
  ): Promise<Required<Target> & { der: Buffer }> {
    const der = issueCertificate(requestOf(leafKeys, wishes), authority)
    const { serialNumber, notBefore, notAfter, fingerprintSha1, fingerprintSha256 } = readCertificate(der)
    await sql`
      insert into certificates (id, project_id, ca_id, serial_number, friendly_name, common_name, not_before, not_after,
        key_algorithm, signature_algorithm, fingerprint_sha256, fingerprint_sha1, source, der)
      select ${newId()}, project_id, id, ${serialNumber}, '', '', ${notBefore}, ${notAfter},
        'EC_prime256v1', 'ECDSA-SHA256', ${fingerprintSha256}, ${fingerprintSha1}, 'issued', ${der}
      from certificate_authorities where id = ${authority.caId}`.execute(this.db.pool)
    return { serialNumber, notAfter, der }
  }

  /** As if its record had been deleted. */
  async forget({ serialNumber }: Target): Promise<void> {
    await sql`delete from certificates where serial_number = ${serialNumber}`.execute(this.db.pool)
  }

  async revoke({ caId }: KeptAuthority, { serialNumber, notAfter }: Target, reason = 0): Promise<void> {
    const revokedAt = new Date(this.clock.now())
    const revocation = { caId, serialNumber, notAfter: notAfter ?? new Date('2100-01-01'), revokedAt, reason }
    await this.db.transaction((tx) => this.revocations.revoke(tx, revocation))
    await this.revocations.published(caId)
  }

  async release({ caId }: KeptAuthority, { serialNumber }: Target): Promise<void> {
    const releasedAt = new Date(this.clock.now())
    await this.db.transaction((tx) => this.revocations.release(tx, { caId, serialNumber, releasedAt }))
    await this.revocations.published(caId)
  }

  async listNumber({ listId }: KeptAuthority): Promise<number> {
    const { rows } = await sql<{ number: number }>`select number from revocation_lists where id = ${listId}`.execute(
      this.db.pool,
    )
    return rows[0]?.number ?? 0
  }

  async list({
    listId,
  }: KeptAuthority): Promise<{ number: number; der: Buffer; deltaDer: Buffer; baseNumber: number }> {
    const { rows } = await sql<{ number: number; der: Buffer; deltaDer: Buffer; baseNumber: number }>`
      select number, der, delta_der, base_number from revocation_lists where id = ${listId}`.execute(this.db.pool)
    if (!rows[0]) throw new Error('There is no such list')
    return rows[0]
  }
}

/** An OCSP request without a nonce, with one of any length. */
export const withNonce = (request: Buffer, bytes: number): Buffer => {
  const inner = new DerReader(DerReader.whole(request, TAG.sequence).content).take(TAG.sequence).content
  const nonce = sequence(objectIdentifier('1.3.6.1.5.5.7.48.1.2'), octetString(octetString(Buffer.alloc(bytes))))
  return sequence(sequence(inner, context(2, sequence(nonce))))
}

/** The serial numbers on a list, in order. */
export const serialsOn = (der: Buffer): string[] => {
  const list = new DerReader(DerReader.whole(der, TAG.sequence).content).enter(TAG.sequence)
  for (const tag of [TAG.integer, TAG.sequence, TAG.sequence, TAG.utcTime, TAG.utcTime]) list.take(tag)
  const entries = list.takeIf(TAG.sequence)
  return entries
    ? new DerReader(entries.content).rest().map(({ content }) => readHexInteger(new DerReader(content).next()))
    : []
}

const insertAuthority = async (db: Database, caId: string, { keyAlgorithm, keys, certificate }: TestAuthority) => {
  const [organizationId, projectId, certificateId] = [newId(), newId(), newId()]
  const { serialNumber, notBefore, notAfter } = readCertificate(certificate)
  await sql`insert into organizations (id, name, slug) values (${organizationId}, 'Acme', ${organizationId})`.execute(
    db.pool,
  )
  await sql`
    insert into projects (id, organization_id, name, slug, type)
    values (${projectId}, ${organizationId}, 'pki', 'pki', 'cert-manager')`.execute(db.pool)
  await sql`
    insert into certificate_authorities (id, project_id, name, type, status, friendly_name, common_name, organization, ou,
      country, province, locality, dn, key_algorithm, private_key, public_key, active_certificate_id)
    values (${caId}, ${projectId}, 'ca', 'root', 'active', '', '', '', '', '', '', '', '', ${keyAlgorithm}, '',
      ${exportPublicKey(keys.publicKey)}, ${certificateId})`.execute(db.pool)
  await sql`
    insert into authority_certificates (id, ca_id, version, serial_number, der, chain, not_before, not_after)
    values (${certificateId}, ${caId}, 1, ${serialNumber}, ${certificate}, '', ${notBefore}, ${notAfter})`.execute(
    db.pool,
  )
}
