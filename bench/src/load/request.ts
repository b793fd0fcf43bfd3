/** One request that a load sends again and again. `{n}` in its path or body is a number that is never used twice. */
export type Request = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  token?: string
  body?: object
  /** Asks only for what has changed since this entity tag. */
  ifNoneMatch?: string
}

const NUMBER = '{n}'

/** One of the requests that a load would send. */
export const numbered = (request: Request): Request =>
  JSON.parse(JSON.stringify(request).replaceAll(NUMBER, String(nextNumber++))) as Request

/** What goes over the wire, ready made unless each one is different. */
export const requestWriter = (base: URL, request: Request): (() => Buffer) => {
  const bodyText = request.body && JSON.stringify(request.body)
  const render = (number: string) => renderRequest(base, request, { bodyText, number })
  if (!request.path.includes(NUMBER) && !bodyText?.includes(NUMBER)) {
    const bytes = render('')
    return () => bytes
  }
  return () => render(String(nextNumber++))
}

// Higher than that of any earlier process: none makes a million requests per second.
let nextNumber = Date.now() * 1_000

const renderRequest = (
  { host, pathname }: URL,
  { method, path, token, ifNoneMatch }: Request,
  { bodyText, number }: { bodyText: string | undefined; number: string },
): Buffer => {
  const body = bodyText?.replaceAll(NUMBER, number)
  const lines = [
    `${method} ${pathname.replace(/\/$/, '')}${path.replaceAll(NUMBER, number)} HTTP/1.1`,
    `host: ${host}`,
    'accept: application/json',
    'user-agent: holdfast-bench',
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(ifNoneMatch === undefined ? [] : [`if-none-match: ${ifNoneMatch}`]),
    ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
}
