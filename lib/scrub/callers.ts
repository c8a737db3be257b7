import { fieldNameAt } from './field-name'
import { decodeString, walkStrings } from './json-strings'

/** Deeper ones say nothing about themselves: no span lies so deep. */
const MOST_LEVELS = 256
/** Beyond it is neither an op nor a kind. */
const LONGEST_BYTES = 64
const ATTRIBUTES = new Set(['attributes', 'data'])
const OF_SPANS = new Set(['op', 'kind', 'span_kind'])
const OF_ATTRIBUTES = new Set(['sentry.op', 'sentry.kind', 'span.kind', 'otel.kind'])

/** `http.client`, `db.query`, `cache.get`, a kind `client`, and what hands a message to a broker or takes it from one. */
const CALLS =
  /^(?:span_kind_)?(?:producer|consumer)$|(?:^|[._])client(?:\.|$)|^(?:db|cache|queue|messaging|gen_ai)(?:\.|$)/i
const IS_CALLED = /(?:^|[._])server(?:\.|$)/i

/**
 * Spans that called somebody, by op or kind, and do not say that they were called: whose peer is a server. What says it may
 * stand behind what is asked about, so that they are looked for in a walk of their own.
 * @returns the objects by number, in the order in which they open, from 1 on.
 */
export function callersIn(json: Uint8Array): ReadonlySet<number> {
  const callers = new Set<number>()
  const called = new Set<number>()
  const numbers: number[] = []
  const names: string[] = []
  let opened = 0
  let depth = 0
  walkStrings(json, {
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
    comma: () => undefined,
    name: (start, end, hash) => {
      if (depth > 0 && depth <= MOST_LEVELS) names[depth - 1] = fieldNameAt(json, start, end, hash).text
    },
    text: (start, end) => {
      if (depth > MOST_LEVELS || end - start > LONGEST_BYTES) return
      const span = spanThatSays(names, depth - 1)
      if (span === null) return
      const said = decodeString(json, start, end)
      if (IS_CALLED.test(said)) called.add(numbers[span] ?? 0)
      else if (CALLS.test(said)) callers.add(numbers[span] ?? 0)
    },
  })
  for (const span of called) callers.delete(span)
  return callers
}

/** The level of the span whose op or kind stands in the level, as its field or as its attribute; `null` where none does. */
function spanThatSays(names: readonly string[], level: number): number | null {
  if (OF_SPANS.has(names[level] ?? '')) return level
  const attribute = names[level] === 'value' ? level - 1 : level
  return OF_ATTRIBUTES.has(names[attribute] ?? '') && ATTRIBUTES.has(names[attribute - 1] ?? '') ? attribute - 1 : null
}
