/** A function that computes each result once, by its argument. */
export function cached<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined && !known.has(key)) known.set(key, (value = make(key)))
    return value as Value
  }
}
