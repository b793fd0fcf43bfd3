import { OperatorError } from '../lib/operator-error.ts'
import { type Anchor, type Fault, type FaultKind, type Verdict, verifyAuditLog } from '../modules/audit/verify.ts'
import type { Keyring } from '../platform/crypto/keyring.ts'
import type { Database } from '../platform/db/db.ts'

type Options = {
  db: Database
  keyring: Keyring
  write: (line: string) => void
  /** A head that was printed earlier, `<position>:<code>`: the chain must still contain it. */
  expect?: string | undefined
}

const SHOWN_HEX_DIGITS = 16
const ANCHOR = /^(\d{1,15}):([0-9a-f]{8,64})$/

const FAULTS: Record<FaultKind, string> = {
  'head-missing': 'the head of the chain was removed',
  'chain-begun-anew': 'the chain was removed, or begun anew: organizations and projects are older than it',
  'head-changed': 'the head of the chain was changed: its signature is wrong',
  'row-edited': 'a row was edited',
  'row-removed': 'a row was removed',
  'row-never-sealed': 'a row was put in later: it has no seal although its neighbours have one',
  'seal-missing': 'a seal was removed',
  'seal-edited': 'a seal was edited; its row is as it was written',
  'seal-forged': 'a seal was added after the signed end of the chain',
  'end-cut-off': 'the end of the chain was cut off',
  'other-chain': 'this is not the chain that was expected: it has another code at that position',
}

/** Checks the audit log and says what it found. The exit code is 0 when all is as it was written. */
export const auditVerify = async ({ db, keyring, write, expect }: Options): Promise<0 | 1> => {
  const verdict = await verifyAuditLog({ db, keyring }, parseAnchor(expect))
  describe(verdict).forEach(write)
  return verdict.fault ? 1 : 0
}

const describe = ({ rows, basePosition, head, unsealed, fault }: Verdict): string[] => [
  `${rows} rows verified, from position ${basePosition + 1}`,
  ...(head ? [`Head: ${head.position}:${head.mac.toString('hex').slice(0, SHOWN_HEX_DIGITS)}`] : []),
  `${unsealed} rows not sealed yet`,
  fault ? `TAMPERED: ${FAULTS[fault.kind]}${whereabouts(fault)}` : 'The audit log is as it was written.',
]

const whereabouts = ({ position, logId, at }: Fault): string => {
  const facts = [
    ...(position === undefined ? [] : [`position ${position}`]),
    ...(logId === undefined ? [] : [`id ${logId}`]),
    ...(at === undefined ? [] : [at.toISOString()]),
  ]
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`
}

const parseAnchor = (text: string | undefined): Anchor | undefined => {
  if (text === undefined) return undefined
  const [, position, mac] = ANCHOR.exec(text) ?? []
  if (position === undefined || mac === undefined) {
    throw new OperatorError(`'${text}' is not a head as this command prints it, such as 1234:0f1e2d3c4b5a6978`)
  }
  return { position: Number(position), mac }
}
