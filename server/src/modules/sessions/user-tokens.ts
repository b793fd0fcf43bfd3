import { z } from 'zod'
import { unauthenticated } from '../../lib/app-error.ts'
import type { Clock } from '../../platform/clock.ts'
import type { TokenClaims, TokenSigner } from '../../platform/crypto/token.ts'

/** The value of `authTokenType` by which the access token of a user is known. Clients look for it. */
export const USER_TOKEN_TYPE = 'accessToken'
const REFRESH_TOKEN_TYPE = 'refreshToken'
const SIGN_UP_TOKEN_TYPE = 'signupToken'

const MINUTE_SECONDS = 60
const DAY_SECONDS = 24 * 60 * MINUTE_SECONDS
const ACCESS_SECONDS = 10 * DAY_SECONDS
export const REFRESH_SECONDS = 90 * DAY_SECONDS
const SIGN_UP_SECONDS = 15 * MINUTE_SECONDS

type Deps = { signer: TokenSigner; clock: Clock }

/** What the tokens of a session are made from. */
export type TokenSource = {
  sessionId: string
  userId: string
  authMethod: string
  accessVersion: number
  refreshVersion: number
  organizationId?: string | undefined
}

const Claims = z.object({
  authMethod: z.string(),
  userId: z.guid(),
  tokenVersionId: z.guid(),
  organizationId: z.guid().optional(),
})
const AccessClaims = Claims.extend({ authTokenType: z.literal(USER_TOKEN_TYPE), accessVersion: z.int() })
const RefreshClaims = Claims.extend({ authTokenType: z.literal(REFRESH_TOKEN_TYPE), refreshVersion: z.int() })
const SignUpClaims = z.object({
  authTokenType: z.literal(SIGN_UP_TOKEN_TYPE),
  userId: z.guid(),
  membershipId: z.guid(),
})

export type AccessClaims = z.infer<typeof AccessClaims>
export type RefreshClaims = z.infer<typeof RefreshClaims>
export type SignUpClaims = z.infer<typeof SignUpClaims>

/** The JWTs that people are given. Each says what it is for, and is good for nothing else. */
export class UserTokens {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  access({ accessVersion, ...source }: TokenSource): Promise<string> {
    return this.#sign({ ...claimsOf(source), authTokenType: USER_TOKEN_TYPE, accessVersion }, ACCESS_SECONDS)
  }

  refresh({ refreshVersion, ...source }: TokenSource): Promise<string> {
    return this.#sign({ ...claimsOf(source), authTokenType: REFRESH_TOKEN_TYPE, refreshVersion }, REFRESH_SECONDS)
  }

  signUp(claims: Omit<SignUpClaims, 'authTokenType'>): Promise<string> {
    return this.#sign({ ...claims, authTokenType: SIGN_UP_TOKEN_TYPE }, SIGN_UP_SECONDS)
  }

  /** Throws on a token that is not ours, has ended, or is not for this. */
  async readAccess(token: string): Promise<AccessClaims> {
    return readAccessClaims(await this.#verify(token))
  }

  async readRefresh(token: string): Promise<RefreshClaims> {
    const { success, data } = RefreshClaims.safeParse(await this.#verify(token))
    if (!success) throw invalidRefreshToken()
    return data
  }

  async readSignUp(token: string): Promise<SignUpClaims> {
    const { success, data } = SignUpClaims.safeParse(await this.#verify(token))
    if (!success) throw unauthenticated('The token is not one to sign up with')
    return data
  }

  #verify(token: string): Promise<TokenClaims> {
    return this.#deps.signer.verify(token, this.#deps.clock.now())
  }

  #sign(claims: Record<string, unknown>, seconds: number): Promise<string> {
    const issuedAtSeconds = Math.floor(this.#deps.clock.now() / 1000)
    return this.#deps.signer.sign(claims, { issuedAtSeconds, expiresAtSeconds: issuedAtSeconds + seconds })
  }
}

/** Of a token whose signature and times are known to be good. */
export const readAccessClaims = (claims: Readonly<Record<string, unknown>>): AccessClaims => {
  const { success, data } = AccessClaims.safeParse(claims)
  if (!success) throw unauthenticated('Token missing')
  return data
}

// wire: clients know the refusals of a refresh by these names.
export const invalidRefreshToken = () =>
  unauthenticated('The refresh token is not valid, please log in again', { code: 'InvalidToken' })

/** The names inside the JWT are part of the interface: clients decode some of them. */
const claimsOf = ({
  authMethod,
  userId,
  sessionId,
  organizationId,
}: Omit<TokenSource, 'accessVersion' | 'refreshVersion'>) => ({
  authMethod,
  userId,
  tokenVersionId: sessionId,
  ...(organizationId !== undefined && { organizationId }),
})
