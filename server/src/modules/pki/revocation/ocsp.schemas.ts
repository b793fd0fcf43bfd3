import { z } from 'zod'
import { Id } from '../../../platform/http/wire-types.ts'

export const ByAuthority = z.object({ caId: Id.describe('The id of the certificate authority') })

/** A wildcard, because base64 has slashes and is longer than other parameters may be. */
export const ByRequest = ByAuthority.extend({ '*': z.string().describe('The DER of the request in base64') })
