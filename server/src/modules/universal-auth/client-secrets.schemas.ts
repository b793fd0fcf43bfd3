import { z } from 'zod'
import { Timestamp } from '../../platform/http/wire-types.ts'
import { ByIdentityId } from '../access-tokens/method-settings.schemas.ts'

const DESCRIPTION_LENGTH_MAX = 255
const TTL_SECONDS_MAX = 315_360_000

export const ByClientSecretId = ByIdentityId.extend({
  clientSecretId: z.string().describe('Id of the client secret, not the secret itself'),
})

export type NewClientSecret = z.output<typeof NewClientSecret>
export const NewClientSecret = z
  .object({
    description: z.string().trim().max(DESCRIPTION_LENGTH_MAX).default(''),
    numUsesLimit: z.int().min(0).default(0).describe('Logins that it is good for; 0 is no limit'),
    ttl: z.int().min(0).max(TTL_SECONDS_MAX).default(0).describe('Seconds that it can be used; 0 is for ever'),
  })
  .transform(({ ttl, ...body }) => ({ ...body, ttlSeconds: ttl }))

const ClientSecretData = z.object({
  id: z.uuid(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  description: z.string(),
  clientSecretPrefix: z.string().describe('The first characters, to tell secrets apart'),
  clientSecretNumUses: z.number().describe('Without a limit this may be some seconds late'),
  clientSecretNumUsesLimit: z.number(),
  clientSecretTTL: z.number(),
  identityUAId: z.uuid(),
  isClientSecretRevoked: z.boolean(),
})

export const NewClientSecretAnswer = z.object({
  clientSecret: z.string().describe('The secret. It is shown here and never again'),
  clientSecretData: ClientSecretData,
})
export const ClientSecretAnswer = z.object({ clientSecretData: ClientSecretData })
export const ClientSecretList = z.object({ clientSecretData: z.array(ClientSecretData) })

type ClientSecret = {
  id: string
  configId: string
  prefix: string
  description: string
  numUses: number
  numUsesLimit: number
  ttlSeconds: number
  isRevoked: boolean
  createdAt: Date
  updatedAt: Date
}

export const clientSecretData = (secret: ClientSecret): z.output<typeof ClientSecretData> => ({
  id: secret.id,
  createdAt: secret.createdAt,
  updatedAt: secret.updatedAt,
  description: secret.description,
  clientSecretPrefix: secret.prefix,
  clientSecretNumUses: secret.numUses,
  clientSecretNumUsesLimit: secret.numUsesLimit,
  clientSecretTTL: secret.ttlSeconds,
  identityUAId: secret.configId,
  isClientSecretRevoked: secret.isRevoked,
})
