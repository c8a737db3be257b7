import type { Evidence, Place, SeenItem, SeenSpan } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { atItem, atSpan, spanWords } from './describe'
import { spansByTrace } from './group-spans'
import type { Rule } from './rule'

/** Items that an event id is the name of; others carry that of the event they belong to. */
const NAMED_BY_EVENT_ID = new Set(['event', 'transaction', 'feedback'])

/**
 * Judged from the ids of events, transactions and feedback, and from those of spans within their trace. The same id with
 * other content is two things under one name, of which Sentry keeps one. An item whose bytes came before is a submission
 * that came twice, and is counted twice; it is told once, without its spans. A copy is beside the path, and has the ids of
 * what it is a copy of.
 */
export const duplicateIdsRule: Rule = {
  id: 'duplicate-ids',
  title: 'An id is of one thing',
  why: 'Of two things with one id Sentry keeps one; of what comes twice, it counts two.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'error',
  fix: 'Look for a second SDK or transport in the program, a proxy that sends again, or ids that a cached page keeps.',
  judge: ({ evidence }) => {
    const twice = new Items(evidence)
    const findings: Finding[] = []
    let judged = 0
    const firsts = new Map<string, SeenItem>()
    for (const item of evidence.items) {
      if (item.copy || item.eventId === null || !NAMED_BY_EVENT_ID.has(item.type)) continue
      judged += 1
      const first = firsts.get(item.eventId)
      if (first === undefined) firsts.set(item.eventId, item)
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
    return verdictOf(judged, findings, 'No event and no span was recorded.')
  },
}

/** Items by their place, and which of them have the bytes of an earlier one. */
class Items {
  readonly #evidence: Evidence
  #byPlace: ReadonlyMap<string, SeenItem> | null = null
  readonly #compared = new Map<string, boolean>()
  readonly #told = new Set<string>()

  constructor(evidence: Evidence) {
    this.#evidence = evidence
  }

  /** Compared once for each two items, however many spans they share. */
  isRepeated(later: Place, earlier: Place): boolean {
    const key = `${later.seq}/${later.item} ${earlier.seq}/${earlier.item}`
    const known = this.#compared.get(key)
    if (known !== undefined) return known
    const [a, b] = [this.at(later), this.at(earlier)]
    const isSame = a !== undefined && b !== undefined && a !== b && hasSameBytes(a.payload, b.payload)
    this.#compared.set(key, isSame)
    return isSame
  }

  at({ seq, item }: Place): SeenItem | undefined {
    this.#byPlace ??= new Map(this.#evidence.items.map((one) => [`${one.seq}/${one.item}`, one]))
    return this.#byPlace.get(`${seq}/${item}`)
  }

  /** Of a container that came twice the first span tells it. */
  isNews({ seq, item }: Place): boolean {
    const key = `${seq}/${item}`
    if (this.#told.has(key)) return false
    this.#told.add(key)
    return true
  }
}

function sameSpan(span: SeenSpan, first: SeenSpan, twice: Items): Finding | null {
  const item = twice.at(span)
  const earlier = twice.at(first)
  if (item !== undefined && earlier !== undefined && twice.isRepeated(span, first))
    return NAMED_BY_EVENT_ID.has(item.type) || !twice.isNews(span) ? null : repeated(item, earlier)
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
  actual: `the same bytes as in envelope ${first.seq}: a submission that came twice`,
  expected: 'each submission once',
})

const clash = (item: SeenItem, first: SeenItem): Finding => ({
  about: `${item.type} ${item.eventId}`,
  at: atItem(item),
  path: 'event_id',
  actual: `the id of the ${first.type} in envelope ${first.seq}, with other content`,
  expected: 'an id of its own',
})

function clashOfSpans(span: SeenSpan, first: SeenSpan): Finding {
  const differ = COMPARED.filter((field) => span[field] !== first[field]).join(', ')
  return {
    about: spanWords(span),
    at: atSpan(span),
    path: 'span_id',
    actual: `${span.spanId}, the id of ${spanWords(first)} in envelope ${first.seq}, of which it differs in ${differ}`,
    expected: 'an id of its own',
  }
}
