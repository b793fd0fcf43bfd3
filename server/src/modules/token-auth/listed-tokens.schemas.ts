import { z } from 'zod'
import { isSlug } from '../../lib/slug.ts'
import { NullableTimestamp, Timestamp } from '../../platform/http/wire-types.ts'
import { TokenAnswer } from '../access-tokens/access-tokens.schemas.ts'
import { ByIdentityId } from '../access-tokens/method-settings.schemas.ts'

const NAME_LENGTH_MAX = 255
const SLUG_LENGTH_MAX = 64
const PAGE_MAX = 100
const OFFSET_MAX = 100

const TokenName = z.string().max(NAME_LENGTH_MAX)

export const ByTokenId = z.object({ tokenId: z.string().describe('Id of the token, which is also inside it') })
export const ByIdentityAndTokenId = ByIdentityId.extend(ByTokenId.shape)

export type NewToken = z.output<typeof NewToken>
export const NewToken = z.object({
  name: TokenName.optional().describe('What the token is for'),
  organizationSlug: z.string().trim().min(1).max(SLUG_LENGTH_MAX).refine(isSlug, 'Must be a slug').optional(),
})

export const ChangedToken = z.object({ name: TokenName.optional() })

export type Page = z.output<typeof Page>
export const Page = z.object({
  offset: z.coerce.number().int().min(0).max(OFFSET_MAX).default(0),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(20),
})

const TokenData = z.object({
  id: z.uuid(),
  accessTokenTTL: z.number(),
  accessTokenMaxTTL: z.number(),
  accessTokenNumUses: z.number().describe('Counted only where there is a limit'),
  accessTokenNumUsesLimit: z.number(),
  accessTokenLastUsedAt: NullableTimestamp.describe('Within a minute'),
  accessTokenLastRenewedAt: NullableTimestamp,
  isAccessTokenRevoked: z.boolean(),
  identityUAClientSecretId: z.string().nullable(),
  identityId: z.uuid(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  name: z.string().nullable(),
  authMethod: z.string(),
  accessTokenPeriod: z.number(),
  subOrganizationId: z.string().nullable(),
})

export const NewTokenAnswer = TokenAnswer.extend({ tokenData: TokenData })
export const ListedTokenAnswer = z.object({ token: TokenData })
export const ListedTokens = z.object({ tokens: z.array(TokenData) })

type ListedToken = {
  id: string
  identityId: string
  name: string | null
  ttlSeconds: number
  maxTtlSeconds: number
  usesLimit: number
  numUses: number
  isRevoked: boolean
  lastUsedAt: Date | null
  renewedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

export const tokenData = (token: ListedToken): z.output<typeof TokenData> => ({
  id: token.id,
  accessTokenTTL: token.ttlSeconds,
  accessTokenMaxTTL: token.maxTtlSeconds,
  accessTokenNumUses: token.numUses,
  accessTokenNumUsesLimit: token.usesLimit,
  accessTokenLastUsedAt: token.lastUsedAt,
  accessTokenLastRenewedAt: token.renewedAt,
  isAccessTokenRevoked: token.isRevoked,
  identityUAClientSecretId: null,
  identityId: token.identityId,
  createdAt: token.createdAt,
  updatedAt: token.updatedAt,
  name: token.name,
  authMethod: 'token-auth',
  accessTokenPeriod: 0,
  subOrganizationId: null,
})
