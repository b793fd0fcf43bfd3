import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { badRequest } from '../../../lib/app-error.ts'
import { newId } from '../../../lib/uuid.ts'
import type { ChangeFeed } from '../../../platform/changes/feed.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/db.ts'
import { isUniqueViolation } from '../../../platform/db/failures.ts'
import type { AuditLog } from '../../audit/audit.service.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { PermissionService } from '../../permissions/permissions.service.ts'
import type { KeyBox } from '../key-box.ts'
import type { CertManagerProjects } from '../projects/cert-manager-projects.service.ts'
import { readCertificate, type ReadCertificate, verifyChain } from '../x509/certificate-reader.ts'
import { exportPublicKey } from '../x509/key-algorithms.ts'
import { readPems, toPem } from '../x509/pem.ts'
import { fieldsOf } from './certificate-status.ts'
import * as store from './certificates.store.ts'

type Deps = {
  db: Database
  permissions: PermissionService
  audit: AuditLog
  changes: ChangeFeed
  clock: Clock
  keyBox: KeyBox
  certManagerProjects: CertManagerProjects
}
type Import = {
  certificatePem: string
  privateKeyPem?: string | undefined
  chainPem?: string | undefined
  friendlyName?: string | undefined
}

const CHAIN_MAX = 10
/** RFC 5280 4.1.2.2 allows 20 bytes; a few more are seen. */
const SERIAL_DIGITS_MAX = 64

/** Takes in certificates that others issued. */
export class CertificateImportService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async importInto(actor: Actor, project: string | undefined, wish: Import) {
    return this.#import(actor, await this.#deps.certManagerProjects.resolve(actor, project), wish)
  }

  async importBySlug(actor: Actor, slug: string, wish: Import) {
    return this.#import(actor, await this.#deps.certManagerProjects.resolveBySlug(actor, slug), wish)
  }

  async #import(actor: Actor, projectId: string, wish: Import) {
    const ability = await this.#deps.permissions.inProject(actor, projectId)
    await ability.require('import', 'certificates')
    const { der, chain, certificate, key } = readImport(wish)
    const columns = { ...importedColumns(certificate, wish.friendlyName), der, chain: chain || null }
    const shown = { ...columns, status: 'active' as const, metadata: [] }
    await ability.require('import', 'certificates', fieldsOf(shown, this.#deps.clock.now()))

    const id = newId()
    const place = { purpose: 'certificate-key', projectId, rowId: id } as const
    const { serialNumber, commonName: cn } = columns
    await this.#deps.db
      .transaction(async (tx) => {
        const privateKey = key ? await this.#deps.keyBox.seal(tx, place, key) : null
        await store.recordCertificate(tx, { ...columns, id, projectId, privateKey })
        const metadata = { certId: id, cn, serialNumber }
        await this.#deps.audit.record(tx, actor, { type: 'import-cert', projectId, metadata })
        await this.#deps.changes.append(tx, { scope: `certificate:${id}`, kind: 'certificate-created' })
      })
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? alreadyThere(serialNumber) : error
      })
    return { certificateId: id, serialNumber, certificate: toPem('CERTIFICATE', der), certificateChain: chain }
  }
}

const readImport = ({ certificatePem, chainPem = '', privateKeyPem }: Import) => {
  const [der, ...above] = [...readPems('CERTIFICATE', certificatePem), ...readPems('CERTIFICATE', chainPem)]
  if (!der) throw badRequest('There is no certificate in certificatePem')
  // The same certificate may head the chain as well.
  const chain = above.filter((member) => !member.equals(der))
  if (chain.length > CHAIN_MAX) throw badRequest(`A chain has at most ${CHAIN_MAX} certificates`)
  const certificate = readCertificate(der)
  if (certificate.serialNumber.length > SERIAL_DIGITS_MAX) throw badRequest('The serial number is too long')
  if (!verifyChain(der, chain)) throw badRequest('The chain does not lead from the certificate upwards')
  const key = privateKeyPem === undefined ? undefined : readPrivateKey(privateKeyPem)
  if (key && !isKeyOf(key, certificate)) throw badRequest('The private key does not belong to the certificate')
  return { der, certificate, key, chain: chain.map((member) => toPem('CERTIFICATE', member)).join('') }
}

const readPrivateKey = (pem: string): KeyObject => {
  try {
    return createPrivateKey(pem)
  } catch {
    // The cause might tell something of the key.
    throw badRequest('The private key cannot be read: it must be PEM and not encrypted')
  }
}

const isKeyOf = (key: KeyObject, { publicKey }: ReadCertificate): boolean =>
  exportPublicKey(createPublicKey(key)).equals(exportPublicKey(publicKey))

const importedColumns = (certificate: ReadCertificate, friendlyName: string | undefined) => {
  const { commonName = '', ...subject } = certificate.subject
  return {
    serialNumber: certificate.serialNumber,
    friendlyName: friendlyName ?? commonName,
    commonName,
    altNames: certificate.altNames.map(({ value }) => value),
    notBefore: certificate.notBefore,
    notAfter: certificate.notAfter,
    keyUsages: certificate.keyUsages ?? [],
    extendedKeyUsages: certificate.extendedKeyUsages ?? [],
    keyAlgorithm: certificate.keyAlgorithm ?? 'unknown',
    signatureAlgorithm: certificate.signatureAlgorithm ?? 'unknown',
    subject,
    fingerprintSha256: certificate.fingerprintSha256,
    fingerprintSha1: certificate.fingerprintSha1,
    isCa: certificate.isCa,
    pathLength: certificate.pathLength ?? null,
    source: 'imported' as const,
  }
}

const alreadyThere = (serialNumber: string) =>
  badRequest(`The project has a certificate with serial number '${serialNumber}' already`)
