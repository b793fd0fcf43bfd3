import type { FastifyRequest } from 'fastify'
import { tokenRejected, unauthenticated } from '../../lib/app-error.ts'
import type { Actor, AuthKind } from './vocabulary.ts'

/** Turns the credentials of a request into its actor, or throws. Never called for a public route. */
export type Authenticate = (request: FastifyRequest, auth: readonly AuthKind[]) => Actor | Promise<Actor>

const BEARER = /^bearer +(\S+)$/i

/** The token of an `Authorization` header. Only a missing header means that nobody is there. */
export const bearerToken = (header: string | undefined): string => {
  if (header === undefined) throw unauthenticated('Token missing')
  const token = BEARER.exec(header)?.[1]
  if (token === undefined) throw tokenRejected('The Authorization header does not hold a bearer token')
  return token
}
