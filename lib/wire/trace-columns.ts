import type { DeliveryStatus } from './delivery-status'
import type { EnvelopeSummary } from './envelope'
import type { Breadcrumb, EventSummary } from './event'
import type { Segment, SpanOtel, TraceSummary } from './trace'

/*
 * `GET /query/traces/{id}/columns`: a trace as lines of JSON. The first has the rows about the trace, the next ones longer
 * lists and then spans in columns, the last one what is missing. A page shows the first spans before it has the others.
 */

/** The version of the lines. A page of another build refuses them. */
export const TRACE_COLUMNS_VERSION = 2

/** Spans of one line, so that a page decodes it within a frame. */
export const SPANS_PER_PIECE = 5000

/** Strings and characters that both ends remember; then they forget them and begin again. */
const MAX_STRINGS = 50_000
const MAX_STRING_CHARACTERS = 4_000_000

/** The part of a span that a waterfall draws. The rest is in `/query/spans/{trace}/{span}`. */
export interface TraceSpan {
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly segmentId: string | null
  readonly isSegment: boolean
  readonly startUs: number
  readonly endUs: number
  readonly service: string
  readonly op: string | null
  readonly name: string
  readonly status: string | null
  readonly httpStatus: number | null
  readonly seq: number
  readonly item: number
  /** The size of its result, see `pillOf`. */
  readonly pill?: string | undefined
  /** No end was sent. */
  readonly isOpen?: true | undefined
  /** It was sent several times, apart from copies. */
  readonly isRepeated?: true | undefined
  /** How far a page moved it, in µs, because another clock timed it. Never sent. */
  readonly movedUs?: number
}

/** A submission that contains something of the trace, and what became of it. */
export interface TraceSubmission {
  readonly seq: number
  readonly journal: number
  readonly receivedAt: number
  /** The random id of the page load. */
  readonly page: string | null
  readonly copy: boolean
  /** Of the whole envelope, decoded. */
  readonly bytes: number
  readonly deliveryStatus: DeliveryStatus
  /** When upstream's answer decided the last item; `null` while any item is pending, and when nothing was relayed. */
  readonly relayedAt: number | null
  /** Posts to upstreams, and the last one. */
  readonly deliveries: number
  readonly lastDelivery: EnvelopeSummary['lastDelivery']
}

/** Lists of a trace. Each line continues those of the lines before it. */
export interface TraceLists {
  readonly segments?: readonly Segment[]
  readonly submissions?: readonly TraceSubmission[]
  readonly errors?: readonly EventSummary[]
  readonly breadcrumbs?: readonly Breadcrumb[]
}

/** Entries that an answer leaves out because of a limit. */
export interface TraceGap {
  readonly of: 'spans' | 'segments' | 'submissions' | 'errors'
  readonly missing: number
  readonly limit: number
}

export interface TraceEnd {
  /** The next value of `after`: the journal number of the newest submission that the answer covers. */
  readonly journal: number
  readonly gaps: readonly TraceGap[]
  /** Spans of the answer. */
  readonly spans: number
  /** Entries of these spans that OpenTelemetry SDKs dropped. */
  readonly dropped: SpanOtel['dropped']
  /** Receipt of the oldest stored submission of all, ms since the epoch; absent when none was evicted. */
  readonly evictedBefore?: number
  /** The first span of the page after this trace, whose SDK links them; absent without one. */
  readonly next?: { readonly traceId: string; readonly spanId: string }
}

export type TracePiece =
  | { readonly kind: 'head'; readonly summary: TraceSummary; readonly lists: TraceLists }
  | { readonly kind: 'lists'; readonly lists: TraceLists }
  | { readonly kind: 'spans'; readonly spans: readonly TraceSpan[] }
  | { readonly kind: 'end'; readonly end: TraceEnd }

export interface TraceColumnsOptions {
  /** Only spans of submissions after this journal number: `journal` of an earlier answer. */
  readonly after?: number
  /** Only spans of this segment, and no lists. */
  readonly segment?: string
}

/** A difference to the previous number; a number in a list replaces it where a difference would be rounded. */
type Difference = number | readonly [number]

/** Spans in columns. Indices are -1 for `null`. */
interface SpanColumns {
  readonly count: number
  /** The strings of earlier lines are forgotten. */
  readonly reset?: true
  /** Strings that this line adds. */
  readonly strings: readonly string[]
  /** Ids of 16 digits without separators: those of the spans, then others that this line names. */
  readonly ids: string
  readonly parent: readonly number[]
  readonly segment: readonly number[]
  /** Positions of the spans that are segments, of those without an end, and of those that were sent again. */
  readonly own: readonly number[]
  readonly open?: readonly number[]
  readonly repeated?: readonly number[]
  readonly start: readonly Difference[]
  readonly duration: readonly Difference[]
  readonly service: readonly number[]
  readonly op: readonly number[]
  readonly name: readonly number[]
  readonly status: readonly number[]
  /** 0 for none. */
  readonly http: readonly number[]
  /** Positions with the string. */
  readonly pill?: readonly (readonly [number, number])[]
  /** Number of the submission and of the item. */
  readonly sources: readonly (readonly [number, number])[]
  readonly source: readonly number[]
}

const ID_DIGITS = 16

/** Writes spans as lines that one `TraceDecoder` reads in the same order. */
export class SpanEncoder {
  readonly #strings = new Map<string, number>()
  #characters = 0

  /** @param spans at most `SPANS_PER_PIECE`. @returns a line of JSON without its end */
  encode(spans: readonly TraceSpan[]): string {
    const isFull = this.#strings.size > MAX_STRINGS || this.#characters > MAX_STRING_CHARACTERS
    if (isFull) {
      this.#strings.clear()
      this.#characters = 0
    }
    const strings: string[] = []
    const string = (text: string | null): number => {
      if (text === null) return -1
      const known = this.#strings.get(text)
      if (known !== undefined) return known
      const index = this.#strings.size
      this.#strings.set(text, index)
      this.#characters += text.length
      strings.push(text)
      return index
    }
    const ids = spans.map(({ spanId }) => spanId)
    const indexOfId = new Map(ids.map((id, index) => [id, index]))
    const id = (text: string | null): number => {
      if (text === null) return -1
      const index = indexOfId.get(text) ?? ids.length
      if (index === ids.length) {
        indexOfId.set(text, index)
        ids.push(text)
      }
      return index
    }
    const sources: [number, number][] = []
    const indexOfSource = new Map<string, number>()
    const source = ({ seq, item }: TraceSpan): number => {
      const key = `${seq}.${item}`
      const index = indexOfSource.get(key) ?? sources.length
      if (index === sources.length) {
        indexOfSource.set(key, index)
        sources.push([seq, item])
      }
      return index
    }
    const positions = (of: (span: TraceSpan) => boolean | undefined): readonly number[] =>
      spans.flatMap((span, at) => (of(span) ? [at] : []))
    const open = positions(({ isOpen }) => isOpen)
    const repeated = positions(({ isRepeated }) => isRepeated)
    const pill = spans.flatMap((span, at): (readonly [number, number])[] =>
      span.pill === undefined ? [] : [[at, string(span.pill)]],
    )
    const columns: SpanColumns = {
      count: spans.length,
      ...(isFull && { reset: true as const }),
      strings,
      parent: spans.map(({ parentSpanId }) => id(parentSpanId)),
      segment: spans.map(({ segmentId }) => id(segmentId)),
      ids: ids.join(''),
      own: positions(({ isSegment }) => isSegment),
      ...(open.length > 0 && { open }),
      ...(repeated.length > 0 && { repeated }),
      ...(pill.length > 0 && { pill }),
      start: differences(spans.map(({ startUs }) => startUs)),
      duration: differences(spans.map(({ startUs, endUs }) => endUs - startUs)),
      service: spans.map(({ service }) => string(service)),
      op: spans.map(({ op }) => string(op)),
      name: spans.map(({ name }) => string(name)),
      status: spans.map(({ status }) => string(status)),
      http: spans.map(({ httpStatus }) => httpStatus ?? 0),
      source: spans.map(source),
      sources,
    }
    return JSON.stringify(columns)
  }
}

function differences(values: readonly number[]): Difference[] {
  let previous = 0
  return values.map((value) => {
    const difference = value - previous
    const isExact = previous + difference === value
    previous = value
    return isExact ? difference : [value]
  })
}

/** Reads the lines of one answer in order. */
export class TraceDecoder {
  #strings: string[] = []
  #isBegun = false

  /** @throws when the line is not one of this version */
  decode(line: string): TracePiece {
    const value = JSON.parse(line) as Partial<SpanColumns> &
      TraceLists & { readonly version?: number; readonly summary?: TraceSummary; readonly end?: TraceEnd }
    if (!this.#isBegun) {
      const { version, summary, ...lists } = value
      if (version !== TRACE_COLUMNS_VERSION || summary === undefined)
        throw new Error(
          `the lines of the trace have version ${version ?? 'missing'}, this page reads ${TRACE_COLUMNS_VERSION}`,
        )
      this.#isBegun = true
      return { kind: 'head', summary, lists }
    }
    if (value.end !== undefined) return { kind: 'end', end: value.end }
    return value.count === undefined
      ? { kind: 'lists', lists: value }
      : { kind: 'spans', spans: this.#spansOf(value as SpanColumns) }
  }

  #spansOf(columns: SpanColumns): readonly TraceSpan[] {
    if (columns.reset === true) this.#strings = []
    for (const text of columns.strings) this.#strings.push(text)
    const own = new Set(columns.own)
    const [open, repeated, pill] = [new Set(columns.open), new Set(columns.repeated), new Map(columns.pill)]
    const [startOf, durationOf] = [summing(columns.start), summing(columns.duration)]
    const ids = Array.from({ length: columns.ids.length / ID_DIGITS }, (_, at) =>
      columns.ids.slice(at * ID_DIGITS, (at + 1) * ID_DIGITS),
    )
    const id = (index: number | undefined): string | null => ids[index ?? -1] ?? null
    const string = (index: number | undefined): string | null => this.#strings[index ?? -1] ?? null
    const spans: TraceSpan[] = []
    for (let at = 0; at < columns.count; at += 1) {
      const startUs = startOf(at)
      const [seq, item] = columns.sources[columns.source[at] ?? -1] ?? [0, 0]
      spans.push({
        spanId: id(at) ?? '',
        parentSpanId: id(columns.parent[at]),
        segmentId: id(columns.segment[at]),
        isSegment: own.has(at),
        startUs,
        endUs: startUs + durationOf(at),
        service: string(columns.service[at]) ?? '',
        op: string(columns.op[at]),
        name: string(columns.name[at]) ?? '',
        status: string(columns.status[at]),
        httpStatus: columns.http[at] || null,
        seq,
        item,
        ...(pill.has(at) && { pill: string(pill.get(at)) ?? undefined }),
        ...(open.has(at) && { isOpen: true }),
        ...(repeated.has(at) && { isRepeated: true }),
      })
    }
    return spans
  }
}

/** Adds up differences; must be called for each position in order. */
function summing(column: readonly Difference[]): (at: number) => number {
  let previous = 0
  return (at) => {
    const next = column[at] ?? 0
    previous = typeof next === 'number' ? previous + next : next[0]
    return previous
  }
}

/**
 * Whether an occurrence of a span is shown instead of another one: relayed before copies, then the later end, then the
 * later receipt, as the collector chooses. @param copies numbers of submissions that are copies
 */
export function replacesSpan(one: TraceSpan, other: TraceSpan, copies: ReadonlySet<number>): boolean {
  if (copies.has(one.seq) !== copies.has(other.seq)) return copies.has(other.seq)
  return (one.endUs - other.endUs || one.seq - other.seq || one.item - other.item) > 0
}

/** The own span of a segment whose spans are not read yet. Only its detail has the HTTP status. */
export const spanOfSegment = (segment: Segment): TraceSpan => ({
  spanId: segment.segmentId,
  parentSpanId: segment.parentSpanId,
  segmentId: segment.segmentId,
  isSegment: true,
  startUs: segment.startUs,
  endUs: segment.endUs,
  service: segment.service,
  op: segment.op,
  name: segment.name,
  status: segment.status,
  httpStatus: null,
  seq: segment.seq,
  item: segment.item,
})

/**
 * Decodes an answer while it arrives. @param pause runs before each further line of spans, so that a page stays
 * responsive. @throws when the answer ends before its last line
 */
export async function* readTracePieces(
  body: ReadableStream<Uint8Array>,
  pause: () => Promise<void>,
): AsyncGenerator<TracePiece, void, void> {
  const decoder = new TraceDecoder()
  for await (const line of linesOf(body)) {
    const piece = decoder.decode(line)
    yield piece
    if (piece.kind === 'end') return
    if (piece.kind === 'spans') await pause()
  }
  throw new Error(
    'the trace ended before its last line: it changed too much while it was read, or the connection broke',
  )
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let begun = ''
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const [first = '', ...further] = decoder.decode(read.value, { stream: true }).split('\n')
      begun += first
      for (const next of further) {
        yield begun
        begun = next
      }
    }
  } finally {
    // A page that needs no more closes the connection, so the collector stops reading.
    await reader.cancel()
  }
}

/** Lets the page handle its events. Unlike a timer, a message is not delayed by browsers. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
