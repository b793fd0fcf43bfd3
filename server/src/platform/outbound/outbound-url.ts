import { OutboundError } from './outbound-error.ts'

/** Throws unless it is an http or https URL without credentials. What the URL standard reads as an address is one. */
export const parseOutboundUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new OutboundError('refused', 'Only http and https URLs can be used')
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('refused', 'The URL must not hold a user name or a password')
  }
  return url
}

/** The host as a name or an address, IPv6 without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')
