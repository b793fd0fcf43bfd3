import type { ChangeFeed } from '../../../platform/changes/feed.ts'
import type { Tx } from '../../../platform/db/db.ts'
import { newId } from '../../../lib/uuid.ts'
import { recordCertificate } from '../certificates/certificates.store.ts'
import { issueCertificate, newSerialNumber, selfSign } from '../x509/certificate.ts'
import { readCertificate } from '../x509/certificate-reader.ts'
import { importPublicKey } from '../x509/key-algorithms.ts'
import type { Subject } from '../x509/names.ts'
import type { KeyObject } from 'node:crypto'
import * as store from './authorities.store.ts'
import * as certificates from './authority-certificates.store.ts'
import type { AuthorityCertificate } from './authority-certificates.store.ts'
import { scopeOf, type Signer } from './authority-keys.ts'
import { INTERMEDIATE_USAGES, ROOT_USAGES, subjectOf, type Term } from './authority-rules.ts'

type Deps = { changes: ChangeFeed }
type Authority = Pick<store.AuthorityRow, 'id' | 'publicKey'> & Parameters<typeof subjectOf>[0]
type Holder = { subject: Subject; publicKey: KeyObject; friendlyName: string }
type Signed = { der: Buffer; serialNumber: string }

/** Makes certificates of authorities, and gives them to those they are for. All in the transaction of the change. */
export class AuthorityInstaller {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A root vouches for itself. */
  async selfSigned(tx: Tx, authority: Authority, key: KeyObject, term: Term): Promise<AuthorityCertificate> {
    const request = {
      ...partsFor({ subject: subjectOf(authority), publicKey: importPublicKey(authority.publicKey) }, term),
      keyUsages: ROOT_USAGES,
      crlUrls: [],
    }
    return this.install(tx, authority.id, { der: selfSign(request, key), chain: '', parentCaId: null })
  }

  /** Under another authority of the project. */
  async underParent(tx: Tx, authority: store.AuthorityRow, parent: Signer, term: Term): Promise<AuthorityCertificate> {
    const { friendlyName } = authority
    const holder = { subject: subjectOf(authority), publicKey: importPublicKey(authority.publicKey), friendlyName }
    const { der } = await this.sign(tx, parent, holder, term)
    return this.install(tx, authority.id, { der, chain: parent.chainPem, parentCaId: parent.ca.id })
  }

  /** For any holder of a key; on record as a certificate of the signing authority, so that it can be revoked. */
  async sign(tx: Tx, signer: Signer, { subject, publicKey, friendlyName }: Holder, term: Term): Promise<Signed> {
    const { crlUrls, issuerUrl, ocspUrl } = signer
    const request = { ...partsFor({ subject, publicKey }, term), crlUrls, issuerUrl, ocspUrl }
    const der = issueCertificate({ ...request, keyUsages: INTERMEDIATE_USAGES }, signer.issuer)
    const { commonName = '', ...parts } = subject
    const { keyAlgorithm, signatureAlgorithm, fingerprintSha256, fingerprintSha1 } = readCertificate(der)
    await recordCertificate(tx, {
      id: newId(),
      projectId: signer.ca.projectId,
      caId: signer.ca.id,
      caCertId: signer.certificateId,
      serialNumber: request.serialNumber,
      friendlyName: friendlyName === '' ? commonName : friendlyName,
      commonName,
      altNames: [],
      notBefore: term.notBefore,
      notAfter: term.notAfter,
      keyUsages: [...INTERMEDIATE_USAGES],
      extendedKeyUsages: [],
      keyAlgorithm: keyAlgorithm ?? '',
      signatureAlgorithm: signatureAlgorithm ?? '',
      subject: parts,
      fingerprintSha256,
      fingerprintSha1,
      isCa: true,
      pathLength: term.pathLength,
      source: 'issued',
      der,
    })
    return { der, serialNumber: request.serialNumber }
  }

  /** From now on the authority, which must be locked, signs by this certificate. */
  async install(
    tx: Tx,
    caId: string,
    { der, chain, parentCaId }: { der: Buffer; chain: string; parentCaId: string | null },
  ): Promise<AuthorityCertificate> {
    const { serialNumber, notBefore, notAfter, pathLength = null } = readCertificate(der)
    const certificate = await certificates.insertNext(tx, {
      id: newId(),
      caId,
      serialNumber,
      der,
      chain,
      notBefore,
      notAfter,
      maxPathLength: pathLength,
      parentCaId,
    })
    await store.update(tx, caId, { status: 'active', activeCertificateId: certificate.id, parentCaId })
    await this.#deps.changes.append(tx, { scope: scopeOf(caId), kind: 'certificate-authority-changed' })
    return certificate
  }
}

const partsFor = (holder: { subject: Subject; publicKey: KeyObject }, { notBefore, notAfter, pathLength }: Term) => ({
  ...holder,
  altNames: [],
  notBefore,
  notAfter,
  serialNumber: newSerialNumber(),
  extendedKeyUsages: [],
  basicConstraints: { isCa: true, ...(pathLength !== null && { pathLength }) },
})
