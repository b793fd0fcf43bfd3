import { z } from 'zod'

export const PresentedToken = z.object({ accessToken: z.string().trim().describe('The access token that is meant') })

/** Answer of every login, and of a renewal. */
export const TokenAnswer = z.object({
  accessToken: z.string().describe('A JWT'),
  expiresIn: z.number().describe('Seconds that it lives'),
  accessTokenMaxTTL: z.number().describe('Age in seconds up to which it can be renewed; 0 is no limit'),
  tokenType: z.literal('Bearer'),
})

type Issued = { accessToken: string; expiresInSeconds: number; maxTtlSeconds: number }

export const tokenAnswer = ({ accessToken, expiresInSeconds, maxTtlSeconds }: Issued): z.infer<typeof TokenAnswer> => ({
  accessToken,
  expiresIn: expiresInSeconds,
  accessTokenMaxTTL: maxTtlSeconds,
  tokenType: 'Bearer',
})

export const Message = z.object({ message: z.string() })
