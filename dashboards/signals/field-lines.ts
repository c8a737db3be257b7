import type { SignalRow } from '../../lib/wire/signal'

/** The fields of a signal, each a line: those it does not have are left out, and attributes stand one by one. */
export function fieldLines(fields: SignalRow['fields']): readonly (readonly [string, unknown])[] {
  return Object.entries(fields).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
    if (value === null || value === undefined) return []
    if (name === 'attributes' && typeof value === 'object' && !Array.isArray(value)) return Object.entries(value)
    return [[name, value]]
  })
}
