/**
 * The least that a server could do: answer as many bytes, or that after one statement through the same pool, on the same
 * framework.
 */
export type CeilingName = 'bare' | 'select' | 'select-100' | 'insert'

export const CEILING_TITLES: Record<CeilingName, string> = {
  bare: 'bare JSON route',
  select: 'one prepared select',
  'select-100': 'one select of 100 rows',
  insert: 'one insert, committed',
}

export const ceilingPath = (name: CeilingName, bytes: number): string => `/${name}/${bytes}`

/** Sizes are rounded up to a power of two, so that cases can share a ceiling. */
export const ceilingBytes = (bytes: number): number => 2 ** Math.ceil(Math.log2(Math.max(bytes, 64)))
