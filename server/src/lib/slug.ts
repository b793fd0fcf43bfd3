import { randomInt } from 'node:crypto'

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const ALPHANUMERICS = 'abcdefghijklmnopqrstuvwxyz0123456789'
const SUFFIX_CHARACTERS = 4
const RANDOM_CHARACTERS = 8
/** Longer text is cut before it is looked at; no slug is nearly so long. */
const TEXT_CHARACTERS_MAX = 1000

/** Lower-case letters and digits in words joined by single hyphens. Length is the caller's business. */
export const isSlug = (text: string): boolean => SLUG.test(text)

/** The slug nearest to a name: accents dropped, "camelCase" taken apart. Empty when nothing of it is left. */
export const slugify = (text: string): string =>
  text
    .slice(0, TEXT_CHARACTERS_MAX)
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** A slug for something without a name. */
export const randomSlug = (): string => randomAlphanumerics(RANDOM_CHARACTERS)

/** `name-x7k2`: the name's slug, made unlikely to be taken, within the given length. */
export const slugFor = (name: string, charactersMax: number): string => {
  const stem = slugify(name)
    .slice(0, charactersMax - SUFFIX_CHARACTERS - 1)
    .replace(/-$/, '')
  return stem === '' ? randomSlug() : `${stem}-${randomAlphanumerics(SUFFIX_CHARACTERS)}`
}

const randomAlphanumerics = (count: number): string =>
  Array.from({ length: count }, () => ALPHANUMERICS.charAt(randomInt(ALPHANUMERICS.length))).join('')
