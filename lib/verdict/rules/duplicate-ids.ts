import type { Evidence, ItemPosition, SeenItem, SeenSpan } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { atItem, atSpan, spanLabel } from './describe'
import { spansByTrace } from './group-spans'
import type { Rule } from './rule'

/** Item types that an event id identifies; other types carry the id of the event they belong to. */
const NAMED_BY_EVENT_ID = new Set(['event', 'transaction', 'feedback'])

/**
 * Checks the ids of events, transactions and feedback, and of spans within their trace. If two items share an id, Sentry
 * keeps one. An item with the bytes of an earlier item was submitted twice and is counted twice; it is reported once,
 * without its spans. Copies are not checked: they have the ids of their originals.
 */
export const duplicateIdsRule: Rule = {
  id: 'duplicate-ids',
  title: 'Ids are unique',
  why: 'Sentry keeps only one of two items with the same id, and counts an item that was sent twice as two.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'error',
  fix: 'Look for a second SDK or transport in the program, a proxy that retries requests, or ids stored in a cached page.',
  judge: ({ evidence }) => {
    const twice = new Items(evidence)
    const findings: Finding[] = []
    let judged = 0
    const firsts = new Map<string, SeenItem>()
    const feedbackIds = ownIdsOfFeedback(evidence)
    for (const item of evidence.items) {
      const id = item.type === 'feedback' ? feedbackIds.get(placeOf(item)) : item.eventId
      if (item.copy || id === undefined || id === null || !NAMED_BY_EVENT_ID.has(item.type)) continue
      judged += 1
      const first = firsts.get(id)
      if (first === undefined) firsts.set(id, item)
      else findings.push(twice.isRepeated(item, first) ? repeated(item, first) : clash(item, first))
    }
    for (const spans of spansByTrace(evidence)) {
      judged += spans.length
      const known = new Map<string, SeenSpan>()
      for (const span of spans) {
        const first = known.get(span.spanId)
        const finding = first === undefined ? null : sameSpan(span, first, twice)
        if (finding !== null) findings.push(finding)
        if (first === undefined) known.set(span.spanId, span)
      }
    }
    return verdictOf(judged, findings, 'No event or span was recorded.')
  },
}

const placeOf = ({ seq, item }: ItemPosition): string => `${seq}/${item}`

/** An item of feedback has the id of the error that it is about. */
const ownIdsOfFeedback = ({ signals }: Evidence): ReadonlyMap<string, string | null> =>
  new Map(signals.filter(({ kind }) => kind === 'feedback').map((signal) => [placeOf(signal), signal.key]))

class Items {
  readonly #evidence: Evidence
  #byPlace: ReadonlyMap<string, SeenItem> | null = null
  readonly #compared = new Map<string, boolean>()
  readonly #reported = new Set<string>()

  constructor(evidence: Evidence) {
    this.#evidence = evidence
  }

  /** Compares two items once, however many spans they share. */
  isRepeated(later: ItemPosition, earlier: ItemPosition): boolean {
    const key = `${placeOf(later)} ${placeOf(earlier)}`
    const known = this.#compared.get(key)
    if (known !== undefined) return known
    const [a, b] = [this.at(later), this.at(earlier)]
    const isSame = a !== undefined && b !== undefined && a !== b && hasSameBytes(a.payload, b.payload)
    this.#compared.set(key, isSame)
    return isSame
  }

  at(place: ItemPosition): SeenItem | undefined {
    this.#byPlace ??= new Map(this.#evidence.items.map((one) => [placeOf(one), one]))
    return this.#byPlace.get(placeOf(place))
  }

  isFirstReport(place: ItemPosition): boolean {
    const key = placeOf(place)
    if (this.#reported.has(key)) return false
    this.#reported.add(key)
    return true
  }
}

function sameSpan(span: SeenSpan, first: SeenSpan, twice: Items): Finding | null {
  const item = twice.at(span)
  const earlier = twice.at(first)
  if (item !== undefined && earlier !== undefined && twice.isRepeated(span, first))
    return NAMED_BY_EVENT_ID.has(item.type) || !twice.isFirstReport(span) ? null : repeated(item, earlier)
  return isSameSpan(span, first) ? null : clashOfSpans(span, first)
}

const COMPARED = ['name', 'op', 'parentSpanId', 'startUs', 'endUs', 'status', 'isSegment'] as const

const isSameSpan = (a: SeenSpan, b: SeenSpan): boolean => COMPARED.every((field) => a[field] === b[field])

function hasSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}

const repeated = (item: SeenItem, first: SeenItem): Finding => ({
  about: `${item.type} ${item.eventId ?? `item of trace ${item.traceId}`}`,
  at: atItem(item),
  path: '',
  actual: `the same bytes as in envelope ${first.seq}: submitted twice`,
  expected: 'each item submitted once',
})

const clash = (item: SeenItem, first: SeenItem): Finding => ({
  about: `${item.type} ${item.eventId}`,
  at: atItem(item),
  path: 'event_id',
  actual: `the id of the ${first.type} in envelope ${first.seq}, with different content`,
  expected: 'a unique id',
})

function clashOfSpans(span: SeenSpan, first: SeenSpan): Finding {
  const differ = COMPARED.filter((field) => span[field] !== first[field]).join(', ')
  return {
    about: spanLabel(span),
    at: atSpan(span),
    path: 'span_id',
    actual: `${span.spanId}, the id of ${spanLabel(first)} in envelope ${first.seq}, with different ${differ}`,
    expected: 'a unique id',
  }
}
