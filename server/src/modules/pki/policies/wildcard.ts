/** Whether `text` matches `pattern`, in which `*` stands for any characters, also none. Without regard to case; in linear time. */
export const matchesWildcard = (pattern: string, text: string): boolean => {
  const [first = '', ...others] = pattern.toLowerCase().split('*')
  const value = text.toLowerCase()
  const last = others.pop()
  if (last === undefined) return value === first
  if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last)) return false

  let at = first.length
  const end = value.length - last.length
  for (const part of others) {
    const found = value.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
