import type { FilterName } from '../../lib/wire/filter'
import type { Seen } from './choices'

/** A list of choices that is longer than this is no help; the rest can be typed. */
const MOST_VALUES = 30

/** What the values of one row are, by the name of the parameter that asks for them. */
export type ValuesOf<Row> = (row: Row) => Readonly<Partial<Record<FilterName, string | null | readonly string[]>>>

/**
 * With what these rows hold: a list that was narrowed shows one value of many, and the others stay to be chosen.
 * The same object where nothing is new.
 */
export function addSeen<Row>(seen: Seen, rows: readonly Row[], valuesOf: ValuesOf<Row>): Seen {
  const added = new Map<FilterName, Set<string>>()
  for (const row of rows) {
    for (const [name, value] of Object.entries(valuesOf(row)) as [FilterName, string | null | readonly string[]][]) {
      const known = seen[name] ?? []
      for (const one of typeof value === 'string' ? [value] : (value ?? [])) {
        if (one === '' || known.includes(one)) continue
        const fresh = added.get(name) ?? new Set()
        if (known.length + fresh.size < MOST_VALUES) added.set(name, fresh.add(one))
      }
    }
  }
  if (added.size === 0) return seen
  const grown = [...added].map(([name, fresh]) => [name, [...(seen[name] ?? []), ...fresh].sort()])
  return { ...seen, ...Object.fromEntries(grown) }
}
