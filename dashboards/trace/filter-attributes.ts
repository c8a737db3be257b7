import { printable, printableValue } from '../ui/printable'

export interface Attribute {
  readonly key: string
  readonly text: string
}

/** Attributes by name, as text; with a filter, those whose name or value holds it. */
export function filterAttributes(attributes: Readonly<Record<string, unknown>>, filter: string): readonly Attribute[] {
  const wanted = filter.trim().toLowerCase()
  return Object.entries(attributes)
    .map(([key, value]) => ({ key: printable(key), text: printableValue(value) }))
    .filter(({ key, text }) => `${key}\n${text}`.toLowerCase().includes(wanted))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}
