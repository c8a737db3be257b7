import { plainText } from '../../format'
import { hex16, isObject, parseJsonObject } from '../../protocol/json'
import { scrubText } from '../../scrub/scrub-text'
import type { Evidence, SeenItem, SeenSpan } from '../evidence/evidence'
import { spanWords } from './span-words'

type Way = readonly (string | number)[]

/**
 * Finds the span that a way through an item's payload leads into: one of a container, one of a transaction, or the
 * transaction's own. `null` in any other item, and where what is there could not be read as a span.
 */
export function spansAround({ spans }: Pick<Evidence, 'spans'>): (item: SeenItem, way: Way) => SeenSpan | null {
  let byPlace: ReadonlyMap<string, SeenSpan> | null = null
  /** Of the item that was asked about last: its findings come together. */
  let last: { readonly item: SeenItem; readonly json: unknown } | null = null
  return (item, way) => {
    if (item.type !== 'span' && item.type !== 'transaction') return null
    if (last?.item !== item) {
      const json = parseJsonObject(item.payload)
      last = { item, json: json.ok ? json.value : null }
    }
    const spanId = spanIdAround(last.json, way)
    if (spanId === null) return null
    byPlace ??= new Map(spans.map((span) => [placeOf(span, span.spanId), span]))
    return byPlace.get(placeOf(item, spanId)) ?? null
  }
}

const placeOf = ({ seq, item }: { readonly seq: number; readonly item: number }, spanId: string): string =>
  `${seq} ${item} ${spanId}`

function spanIdAround(json: unknown, [list, index]: Way): string | null {
  if (!isObject(json)) return null
  const listed = list === 'items' || list === 'spans' ? json[list] : undefined
  if (Array.isArray(listed) && typeof index === 'number') return idOf(listed[index])
  return idOf(json) ?? (isObject(json.contexts) ? idOf(json.contexts.trace) : null)
}

const idOf = (span: unknown): string | null => (isObject(span) ? hex16(span.span_id) : null)

/** Signs of op and name that are told: enough to find it among fifty. */
const MOST_SIGNS = 60
/** What is looked at of a name that may be as long as an item. */
const MOST_READ = 10 * MOST_SIGNS

/** Op and name of a span, shortened and without what is secret in them: `http.client GET /users/[Filtered]`. */
export function harmlessSpanWords(span: SeenSpan): string {
  const words = plainText(spanWords(span).slice(0, MOST_READ))
  let isSecret = false
  // Whose folder it is is none, and `/home/garden` may be a page.
  const scrubbed = scrubText(words, 'plain', (rule) => {
    isSecret ||= rule !== 'user_path'
  })
  const told = isSecret ? scrubbed : words
  return told.length > MOST_SIGNS ? `${told.slice(0, MOST_SIGNS - 1)}…` : told
}
