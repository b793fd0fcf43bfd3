import type { KeyObject } from 'node:crypto'
import { badRequest, forbidden } from '../../../lib/app-error.ts'
import { newId } from '../../../lib/uuid.ts'
import type { ChangeFeed } from '../../../platform/changes/feed.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database, Tx } from '../../../platform/db/db.ts'
import type { Actor } from '../../permissions/actor.ts'
import type { AuthorityKeys, Signer } from '../authorities/authority-keys.ts'
import type { AuthorityLookup } from '../authorities/authority-lookup.service.ts'
import { beginning, requireMaySign, requireSpan } from '../authorities/authority-rules.ts'
import type { KeyBox } from '../key-box.ts'
import { issueCertificate, newSerialNumber, selfSign } from '../x509/certificate.ts'
import { defaultSignatureAlgorithm, generateKeyPair, type KeyAlgorithm } from '../x509/key-algorithms.ts'
import { toPem } from '../x509/pem.ts'
import { type CertificateWish, requireSound, type Span } from './certificate-wish.ts'
import { recordCertificate, type CertificateRow, type CertificateToRecord } from './certificates.store.ts'
import { issuedColumns, tellDeleted, withoutRoots } from './issued-certificate.ts'

type Deps = {
  db: Database
  changes: ChangeFeed
  clock: Clock
  keyBox: KeyBox
  authorityKeys: AuthorityKeys
  authorityLookup: AuthorityLookup
}

/** Whose key: one that is made now, or one that is there, of which perhaps only the public half is known. */
export type KeyWish = 'new' | { publicKey: KeyObject; privateKey?: KeyObject; keyAlgorithm: KeyAlgorithm }

export type IssueOrder = {
  projectId: string
  /** Undefined: it vouches for itself. */
  signer: Signer | undefined
  wish: CertificateWish
  key: KeyWish
  span: Span
  friendlyName?: string | undefined
  /** What else is kept with it. */
  kept?: Partial<
    Pick<
      CertificateToRecord,
      'profileId' | 'certificateTemplateId' | 'metadata' | 'renewBeforeDays' | 'renewedFromCertificateId'
    >
  >
}

export type IssuedCertificate = {
  row: CertificateRow
  certificate: string
  issuingCaCertificate: string
  certificateChain: string
  /** Undefined when it was never here. */
  privateKey: KeyObject | undefined
}

/** What is taken where nobody says. */
const USUAL_KEY: KeyAlgorithm = 'EC_prime256v1'

/** Makes certificates and puts them on record. What else they may be like is for others to decide. */
export class CertificateIssuer {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Throws unless the authority has a certificate to sign with. */
  async signer(caId: string): Promise<Signer> {
    const signer = await this.#deps.authorityKeys.signer(caId)
    if (!signer) throw badRequest('The certificate authority has no certificate yet')
    return signer
  }

  /** `record` writes, in the same transaction, what belongs to it. */
  async issue(
    actor: Actor,
    order: IssueOrder,
    record: (tx: Tx, row: CertificateRow) => Promise<void>,
  ): Promise<IssuedCertificate> {
    requireSound(order.wish)
    await this.#requireMaySpeak(actor, order)
    const term = this.#term(order)
    const key = await keyFor(order)
    const made = make(order, key, term)
    const row = await this.#deps.db
      .transaction(async (tx) => {
        if (order.signer) await this.#deps.authorityKeys.holdToIssue(tx, order.signer)
        const inserted = await this.#record(tx, order, { ...made, privateKey: key.privateKey })
        await record(tx, inserted)
        await this.#deps.changes.append(tx, { scope: `certificate:${inserted.id}`, kind: 'certificate-created' })
        return inserted
      })
      .catch(tellDeleted)
    return { row, ...pemsOf(made.der, order.signer), privateKey: key.privateKey }
  }

  /** Whoever has the key of such a certificate can say of any other that it is good, in the name of the authority. */
  async #requireMaySpeak(actor: Actor, { signer, wish: { extendedKeyUsages } }: IssueOrder): Promise<void> {
    if (!signer || !extendedKeyUsages.includes('ocspSigning')) return
    if (await this.#deps.authorityLookup.may(actor, signer.ca, 'edit')) return
    throw forbidden('The extended key usage ocspSigning speaks for the authority: only who may edit it can ask for it')
  }

  #term({ signer, wish, span: { notBefore, notAfter } }: IssueOrder): { notBefore: Date; notAfter: Date } {
    const now = new Date(this.#deps.clock.now())
    const term = { notBefore: notBefore ?? beginning(now, signer?.validity.notBefore), notAfter }
    if (!signer) requireSpan(term, now)
    // The path length says how many authorities may stand below, so it is of no concern to others.
    else if (wish.isCa) requireMaySign(signer, { ...term, pathLength: wish.pathLength ?? null }, now)
    else requireMaySign({ ...signer, pathLength: null }, { ...term, pathLength: null }, now)
    return term
  }

  async #record(
    tx: Tx,
    order: IssueOrder,
    made: Made & { privateKey: KeyObject | undefined },
  ): Promise<CertificateRow> {
    const { projectId, signer, friendlyName, kept } = order
    const { privateKey, ...issued } = made
    const id = newId()
    const place = { purpose: 'certificate-key', projectId, rowId: id } as const
    return recordCertificate(tx, {
      ...issuedColumns({ ...issued, friendlyName }),
      ...kept,
      id,
      projectId,
      caId: signer?.ca.id ?? null,
      caCertId: signer?.certificateId ?? null,
      chain: null,
      privateKey: privateKey ? await this.#deps.keyBox.seal(tx, place, privateKey) : null,
    })
  }
}

type Key = { publicKey: KeyObject; privateKey: KeyObject | undefined; keyAlgorithm: KeyAlgorithm }
type Made = ReturnType<typeof make>

const keyFor = async ({ key, wish }: IssueOrder): Promise<Key> => {
  if (key !== 'new') return { privateKey: undefined, ...key }
  const keyAlgorithm = wish.keyAlgorithm ?? USUAL_KEY
  return { ...(await generateKeyPair(keyAlgorithm)), keyAlgorithm }
}

const make = ({ signer, wish }: IssueOrder, key: Key, term: { notBefore: Date; notAfter: Date }) => {
  const { subject, altNames, keyUsages, extendedKeyUsages, isCa, pathLength } = wish
  const signatureAlgorithm =
    wish.signatureAlgorithm ?? defaultSignatureAlgorithm(signer?.issuer.keyAlgorithm ?? key.keyAlgorithm)
  const request = {
    subject,
    altNames,
    keyUsages,
    extendedKeyUsages,
    signatureAlgorithm,
    publicKey: key.publicKey,
    serialNumber: newSerialNumber(),
    basicConstraints: { isCa, ...(pathLength !== undefined && { pathLength }) },
    crlUrls: signer?.crlUrls ?? [],
    ...(signer && { issuerUrl: signer.issuerUrl, ocspUrl: signer.ocspUrl }),
    ...term,
  }
  const { keyAlgorithm, privateKey } = key
  if (signer) return { der: issueCertificate(request, signer.issuer), request, keyAlgorithm, signatureAlgorithm }
  if (!privateKey) throw badRequest('A self-signed certificate is signed by its own key: leave the csr out')
  return { der: selfSign(request, privateKey), request, keyAlgorithm, signatureAlgorithm }
}

const pemsOf = (der: Buffer, signer: Signer | undefined) => {
  const certificate = toPem('CERTIFICATE', der)
  return signer
    ? {
        certificate,
        issuingCaCertificate: toPem('CERTIFICATE', signer.issuer.certificate),
        certificateChain: signer.chainPem,
      }
    : { certificate, issuingCaCertificate: '', certificateChain: certificate }
}

/** Leaves the roots out of the chain where that was asked for. */
export const chainOf = ({ certificateChain }: IssuedCertificate, removeRoots: boolean): string =>
  removeRoots ? withoutRoots(certificateChain) : certificateChain
