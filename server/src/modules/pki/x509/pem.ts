import { UnreadableError } from './unreadable-error.ts'

const COLUMNS = /.{1,64}/g
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

export const toPem = (label: string, der: Buffer): string => {
  const lines = der.toString('base64').match(COLUMNS) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

/** What stands between the lines that carry `label`, in order; text around them is passed over. */
export const readPems = (label: string, text: string): Buffer[] => {
  const [begin, end] = [`-----BEGIN ${label}-----`, `-----END ${label}-----`]
  const found: Buffer[] = []
  for (let at = text.indexOf(begin); at !== -1; at = text.indexOf(begin, at)) {
    const from = at + begin.length
    at = text.indexOf(end, from)
    if (at === -1) throw unreadable(label)
    found.push(decode(label, text.slice(from, at)))
  }
  return found
}

const decode = (label: string, body: string): Buffer => {
  const base64 = body.replace(/\s+/g, '')
  if (!BASE64.test(base64)) throw unreadable(label)
  return Buffer.from(base64, 'base64')
}

const unreadable = (label: string) => new UnreadableError(`The PEM text of a ${label.toLowerCase()} cannot be read`)
