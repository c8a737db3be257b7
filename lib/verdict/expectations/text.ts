import { plainText } from '../../format'
import { scrubText } from '../../scrub/scrub-text'

/** Signs of one value that are shown. */
const MOST_SIGNS = 120

/** Cut to so many signs, and safe to print. */
export function cut(text: string, most = MOST_SIGNS): string {
  const plain = plainText(text.length > 4 * most ? text.slice(0, 4 * most) : text)
  return plain.length > most ? `${plain.slice(0, most - 1)}…` : plain
}

/** A test runner may have a realm of its own, whose regular expressions are none of ours by `instanceof`. */
export const isPattern = (value: unknown): value is RegExp =>
  Object.prototype.toString.call(value) === '[object RegExp]'

/** A value of an item or of criteria as it is told to a person: text in quotes, an object as JSON, what is not there as `nothing`. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return `"${cut(value)}"`
  if (isPattern(value)) return cut(String(value))
  if (value instanceof Uint8Array) return `${value.length} bytes`
  if (typeof value === 'function') return cut(String(value).replace(/\s+/g, ' '))
  if (typeof value === 'object' && value !== null) return cut(asJson(value))
  return String(value)
}

/** What holds itself, or a bigint, or throws where it is asked, is no JSON: it is told by what it is. */
function asJson(value: object): string {
  try {
    return JSON.stringify(value, patternsAsText) ?? 'nothing'
  } catch {
    return `${Array.isArray(value) ? 'a list' : 'an object'} that is no JSON: does it hold itself?`
  }
}

const patternsAsText = (_name: string, value: unknown): unknown => (isPattern(value) ? String(value) : value)

/** µs as a person reads them: `0.4 ms`, `120 ms`, `1.20 s`. */
export function durationText(us: number): string {
  const ms = us / 1000
  if (Math.round(ms) >= 1000) return `${(ms / 1000).toFixed(2)} s`
  return `${ms >= 10 ? Math.round(ms) : ms.toFixed(1)} ms`
}

/** `1 span`, `2 spans`. */
export const many = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`

/** The first so many, and how many there are beside them. */
export function firstFew(words: readonly string[], most = 5): string {
  const rest = words.length - most
  return rest > 0 ? `${words.slice(0, most).join(', ')} and ${rest} more` : words.join(', ')
}

/**
 * A text that came from a payload, as it may stand in a report: titles and names go to logs of CI and into files of a
 * repository. `/home/garden` is a page there, and stays.
 */
export function withoutSecrets(text: string): string {
  let found = false
  const scrubbed = scrubText(text, 'plain', (rule) => {
    found ||= rule !== 'user_path'
  })
  return found ? scrubbed : text
}
