import { AppError, type ErrorKind } from '../../lib/app-error.ts'

/** Why a login is refused, in the words of the audit log. */
export type RefusalReason =
  | 'discovery_document_fetch_failed'
  | 'missing_jwks_uri'
  | 'issuer_mismatch'
  | 'invalid_jwt'
  | 'signing_keys_retrieval_failed'
  | 'signing_key_not_found'
  | 'no_signing_keys'
  | 'too_many_signing_keys'
  | 'jwt_verification_failed'
  | 'subject_not_allowed'
  | 'audience_not_allowed'
  | 'missing_claim'
  | 'claim_not_allowed'
  | 'missing_metadata_claim'

type Options = { kind?: ErrorKind; cause?: unknown }

/** What is said to the caller holds nothing of the configuration but the names of claims. */
export class LoginRefusal extends AppError {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, message: string, { kind = 'unauthenticated', cause }: Options = {}) {
    super(kind, message, { cause })
    this.reason = reason
  }
}
