import { formatDurationUs, plainText, withoutTrailingZeros } from '../format'
import { scrubText } from '../scrub/scrub-text'

const MAX_VALUE_CHARACTERS = 120

/** Truncates received text and makes it safe to print. */
export function truncate(text: string, most = MAX_VALUE_CHARACTERS): string {
  const plain = plainText(text.length > 4 * most ? text.slice(0, 4 * most) : text)
  return plain.length > most ? `${plain.slice(0, most - 1)}…` : plain
}

/** Test runners may use another realm, in which `instanceof RegExp` is false. */
export const isRegExp = (value: unknown): value is RegExp => Object.prototype.toString.call(value) === '[object RegExp]'

/** A value of an item or of criteria for a message: text in quotes, an object as JSON, `undefined` as `nothing`. */
export function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return `"${truncate(value)}"`
  if (isRegExp(value)) return truncate(String(value))
  if (value instanceof Uint8Array) return `${value.length} bytes`
  if (typeof value === 'function') return truncate(String(value).replace(/\s+/g, ' '))
  if (typeof value === 'object' && value !== null) return truncate(asJson(value))
  return String(value)
}

/** A cycle, a bigint or a throwing `toJSON` cannot be serialised. */
function asJson(value: object): string {
  try {
    return JSON.stringify(value, patternsAsText) ?? 'nothing'
  } catch {
    return `${Array.isArray(value) ? 'a list' : 'an object'} that cannot be written as JSON (is there a cycle?)`
  }
}

const patternsAsText = (_name: string, value: unknown): unknown => (isRegExp(value) ? String(value) : value)

/** A duration for a sentence, from µs: `120 ms`, `1.2 s`, `2 min 5 s`. */
export const durationText = (us: number): string => withoutTrailingZeros(formatDurationUs(us))

/** `a, b, c and 4 more` */
export function listFirst(words: readonly string[], most = 5): string {
  const rest = words.length - most
  return rest > 0 ? `${words.slice(0, most).join(', ')} and ${rest} more` : words.join(', ')
}

/** Scrubs a text, because reports go to CI logs. Leaves out `user_path`: `/home/garden` may be a page. */
export function withoutSecrets(text: string): string {
  let found = false
  const scrubbed = scrubText(text, 'plain', (rule) => {
    found ||= rule !== 'user_path'
  })
  return found ? scrubbed : text
}

/** Quantities by data category: `4 span, 1 error`. */
export const quantitiesText = (quantities: ReadonlyMap<string, number>): string =>
  [...quantities].map(([category, quantity]) => `${quantity} ${category}`).join(', ')
