import { decodeString, visitJson } from '../protocol/json-scanner'
import { fieldNameAt } from './field-name'

/** Spans are not nested deeper than this. */
const MOST_LEVELS = 256
/** No op or kind is longer. */
const LONGEST_BYTES = 64
const ATTRIBUTES = new Set(['attributes', 'data'])
const OF_SPANS = new Set(['op', 'kind', 'span_kind'])
const OF_ATTRIBUTES = new Set(['sentry.op', 'sentry.kind', 'span.kind', 'otel.kind'])

/** `http.client`, `db.query`, `cache.get`, a kind `client`, and producers and consumers of messages. */
const CALLS =
  /^(?:span_kind_)?(?:producer|consumer)$|(?:^|[._])client(?:\.|$)|^(?:db|cache|queue|messaging|gen_ai)(?:\.|$)/i
const IS_CALLED = /(?:^|[._])server(?:\.|$)/i

/**
 * Finds spans that called a server: their peer address is a server's, not a person's. A span may name its op after its
 * peer, so this needs its own traversal. @returns the objects by number, counted from 1 in opening order
 */
export function callersIn(json: Uint8Array): ReadonlySet<number> {
  const callers = new Set<number>()
  const called = new Set<number>()
  const numbers: number[] = []
  const names: string[] = []
  let opened = 0
  let depth = 0
  visitJson(json, {
    open: () => {
      opened += 1
      if (depth < MOST_LEVELS) {
        numbers[depth] = opened
        names[depth] = ''
      }
      depth += 1
    },
    close: () => {
      depth = Math.max(0, depth - 1)
    },
    name: (start, end, hash) => {
      if (depth > 0 && depth <= MOST_LEVELS) names[depth - 1] = fieldNameAt(json, start, end, hash).text
    },
    text: (start, end) => {
      if (depth > MOST_LEVELS || end - start > LONGEST_BYTES) return
      const span = spanThatSays(names, depth - 1)
      if (span === null) return
      const text = decodeString(json, start, end)
      if (IS_CALLED.test(text)) called.add(numbers[span] ?? 0)
      else if (CALLS.test(text)) callers.add(numbers[span] ?? 0)
    },
  })
  for (const span of called) callers.delete(span)
  return callers
}

/** The level of the span whose op or kind is the string at `level`; `null` for other strings. */
function spanThatSays(names: readonly string[], level: number): number | null {
  if (OF_SPANS.has(names[level] ?? '')) return level
  const attribute = names[level] === 'value' ? level - 1 : level
  return OF_ATTRIBUTES.has(names[attribute] ?? '') && ATTRIBUTES.has(names[attribute - 1] ?? '') ? attribute - 1 : null
}
