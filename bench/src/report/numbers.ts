/** About three digits that count, and thousands set apart. */
export const readable = (value: number): string => {
  if (Number.isNaN(value)) return '–'
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export const percent = (share: number): string => (Number.isFinite(share) ? `${Math.round(share * 100)} %` : '–')
