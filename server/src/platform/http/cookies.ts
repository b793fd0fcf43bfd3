import type { FastifyReply, FastifyRequest } from 'fastify'

type CookieOptions = {
  /** Absent: until the browser is closed. */
  maxAgeSeconds?: number
  path?: string
  isSecure: boolean
  sameSite?: 'Strict' | 'Lax'
}

const NAME = /^[\w!#$%&'*.^`|~+-]+$/
const VALUE = /^[\w!#$%&'()*./:<=>?@[\]^`{|}~+-]*$/

/** The first cookie of that name, or undefined. */
export const readCookie = ({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | undefined =>
  headers.cookie
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)

/** Sets a cookie that scripts cannot read. */
export const setCookie = (reply: FastifyReply, name: string, value: string, options: CookieOptions): void => {
  if (!NAME.test(name) || !VALUE.test(value)) throw new TypeError('A cookie holds a character it must not hold')
  const { maxAgeSeconds, path = '/', isSecure, sameSite = 'Strict' } = options
  const attributes = [
    `${name}=${value}`,
    `Path=${path}`,
    'HttpOnly',
    `SameSite=${sameSite}`,
    ...(isSecure ? ['Secure'] : []),
    ...(maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`]),
  ]
  // Fastify keeps several cookies apart.
  reply.header('set-cookie', attributes.join('; '))
}

export const clearCookie = (reply: FastifyReply, name: string, options: CookieOptions): void =>
  setCookie(reply, name, '', { ...options, maxAgeSeconds: 0 })
