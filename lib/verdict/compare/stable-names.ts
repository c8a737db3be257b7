const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const HASH = /\b(?=[a-f]*\d)[0-9a-f]{7,}\b/gi
/** Values of a query: `?page=2&q=shoes`. A placeholder of SQL, `= ?`, stays. */
export const QUERY = /\?[\w.~%[\]-]+=.*$/s

/** A text with `*` for each id and number, which differ from run to run. */
export const withoutIds = (text: string): string => text.replace(UUID, '*').replace(HASH, '*').replace(/\d+/g, '*')

/** The name of a route without its ids and its query. */
export const routeName = (name: string): string => withoutIds(name.replace(/\?.*$/s, ''))

/** A span or an error without its ids, its numbers and its query: two runs have the same name for it. */
export function stableName(service: string, operation: string | null, name: string): string {
  const text = withoutIds(name.replace(QUERY, '')).replaceAll(/\s+/g, ' ').trim()
  return [service, operation ?? '', text].filter((part) => part !== '').join(' ')
}
