import { z } from 'zod'
import { Id } from '../../../platform/http/wire-types.ts'

export const ByListId = z.object({ crlId: Id.describe('The id of the revocation list') })
