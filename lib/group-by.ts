/**
 * Lists of values by key, in the order in which the keys first appear; Node 20 has no `Map.groupBy`.
 * @param keyOf returns `null` for a value that belongs to no group
 */
export function groupBy<Value, Key extends string | number>(
  values: Iterable<Value>,
  keyOf: (value: Value) => Key | null,
): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>()
  for (const value of values) {
    const key = keyOf(value)
    if (key !== null) addToGroup(groups, key, value)
  }
  return groups
}

/** Appends a value to the list of its key. */
export function addToGroup<Key, Value>(groups: Map<Key, Value[]>, key: Key, value: Value): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [value])
  else group.push(value)
}

/** The number of a key in the order of first appearance, from 0: lists by number need no joined text as their key. */
export function numberOf<Key>(numbers: Map<Key, number>, key: Key): number {
  const known = numbers.get(key)
  if (known !== undefined) return known
  numbers.set(key, numbers.size)
  return numbers.size - 1
}
