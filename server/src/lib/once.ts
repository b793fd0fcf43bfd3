/** Makes each thing once for as long as what it is made of lives: what is cached is rendered once, not per request. */
export const once = <Key extends object, Value extends object | string>(
  make: (key: Key) => Value,
): ((key: Key) => Value) => {
  const made = new WeakMap<Key, Value>()
  return (key) => {
    let value = made.get(key)
    if (value === undefined) made.set(key, (value = make(key)))
    return value
  }
}
