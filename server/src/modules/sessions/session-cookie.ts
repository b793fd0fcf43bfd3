import type { FastifyReply, FastifyRequest } from 'fastify'
import { clearCookie, readCookie, setCookie } from '../../platform/http/cookies.ts'

const NAME = 'jid'

/** The cookie that holds a refresh token: for this site's own pages and the API alone, out of reach of any script. */
export class SessionCookie {
  readonly #options: { path: string; isSecure: boolean; sameSite: 'Strict' }

  constructor(siteUrl: string) {
    this.#options = { path: '/api', isSecure: siteUrl.startsWith('https:'), sameSite: 'Strict' }
  }

  read(request: FastifyRequest): string | undefined {
    return readCookie(request, NAME)
  }

  set(reply: FastifyReply, refreshToken: string): void {
    setCookie(reply, NAME, refreshToken, this.#options)
  }

  clear(reply: FastifyReply): void {
    clearCookie(reply, NAME, this.#options)
  }
}
