import type { StoredSubmission } from '../../../../lib/protocol/submission'
import type { Evidence } from '../../../../lib/verdict/evidence/evidence'
import { readEvidence } from '../../../../lib/verdict/evidence/read-evidence'
import type { Case } from '../../../../lib/verdict/rules/rule'

/** Start of the drawn spans, in seconds since the epoch. */
export const BEGIN_S = 1_795_000_000
export const TRACE = 'a'.repeat(32)

/** An envelope: its body, or its body with facts of the submission. */
export type Came = string | ({ readonly body: string | Uint8Array } & Partial<Omit<StoredSubmission, 'body'>>)

/** Parses bodies that arrived in this order through the tunnel, one per second from the start of the spans. */
export function evidenceOf(...came: readonly Came[]): Evidence {
  return readEvidence(came.map((one, index) => decodeSubmission(one, index)))
}

export function decodeSubmission(came: Came, index = 0): StoredSubmission {
  const { body, ...facts } = typeof came === 'string' ? { body: came } : came
  return {
    seq: index + 1,
    journal: index + 1,
    receivedAt: (BEGIN_S + index + 1) * 1000,
    endpoint: 'tunnel',
    project: '1',
    publicKey: 'local',
    stamp: null,
    page: null,
    userAgent: null,
    origin: null,
    ...facts,
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  }
}

/** A case without an observed browser and without rate limits, unless given. */
export const caseOf = (given: Partial<Case> = {}): Case => ({
  evidence: evidenceOf(),
  requests: null,
  fallbacks: null,
  pageLimits: null,
  collectorUrl: 'http://127.0.0.1:8969',
  ...given,
})

/** A case with these envelopes. */
export const caseFrom = (...came: readonly Came[]): Case => caseOf({ evidence: evidenceOf(...came) })

/** The verdict of a rule that fails with exactly these findings. */
export const failingWith = (...findings: readonly object[]) => ({ verdict: 'fail', found: findings.length, findings })

/** The same with the number of what it judged. */
export const failing = (judged: number, ...findings: readonly object[]) => ({ ...failingWith(...findings), judged })

type Json = Readonly<Record<string, unknown>>

/** The text of an envelope: its header, then item headers and payloads. */
export const envelopeOf = (header: Json, ...items: readonly (readonly [Json, Json])[]): string =>
  [header, ...items.flat()].map((line) => JSON.stringify(line)).join('\n')

/** An error event of a browser with the given payload fields. */
export function eventOf(payload: Json = {}): string {
  const eventId = typeof payload.event_id === 'string' ? payload.event_id : 'e'.repeat(32)
  const event = {
    event_id: eventId,
    platform: 'javascript',
    timestamp: BEGIN_S,
    environment: 'production',
    release: 'shop@1.2.3',
    exception: { values: [{ type: 'Error', value: 'boom', mechanism: { type: 'generic', handled: true } }] },
    contexts: { trace: { trace_id: TRACE, span_id: 'b'.repeat(16) } },
    ...payload,
  }
  return envelopeOf({ event_id: eventId, sdk: NEXT }, [{ type: 'event' }, event])
}

/** A client report: `clientReportOf(['queue_overflow', 'error', 3])`. */
export const clientReportOf = (...discarded: readonly (readonly [string, string, number])[]): string =>
  envelopeOf({ sdk: NEXT }, [
    { type: 'client_report' },
    {
      timestamp: BEGIN_S,
      discarded_events: discarded.map(([reason, category, quantity]) => ({ reason, category, quantity })),
    },
  ])

/** One span of a drawing; times in ms from the start of the first span. */
export interface DrawnSpan {
  readonly spanId: string
  readonly parentId: string | null
  readonly op: string | null
  readonly name: string
  readonly startMs: number
  readonly endMs: number
}

/**
 * Parses a drawing with a fixed number of ms per column. The first line is the segment, which begins at 0. A line is an op
 * (`-` for none), a name, two spaces and a bar of `=` (`|` for no duration). Two more spaces of indent are one level.
 *
 *     pageload /checkout       ============
 *       http.client GET /cart     ===
 *         db SELECT 1              =
 */
export function drawn(picture: string, msPerColumn = 100): readonly DrawnSpan[] {
  const lines = picture.split('\n').filter((line) => line.trim() !== '')
  const read = lines.map((line) => {
    const found = /^( *)(\S+)(?: (\S.*?))? {2,}(=+|\|) *$/.exec(line)
    if (found === null) throw new TypeError(`a line of the drawing has no op, name and bar: "${line}"`)
    const [, indent = '', op = '', name = '', bar = ''] = found
    const column = line.lastIndexOf(bar.charAt(0)) - bar.length + 1
    return { indent: indent.length, op, name, column, columns: bar === '|' ? 0 : bar.length }
  })
  const base = read[0] ?? { indent: 0, column: 0 }
  const open: { readonly indent: number; readonly spanId: string }[] = []
  return read.map(({ indent, op, name, column, columns }, index) => {
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop()
    const spanId = (index + 1).toString(16).padStart(16, '0')
    const parentId = open.at(-1)?.spanId ?? null
    open.push({ indent, spanId })
    const startMs = (column - base.column) * msPerColumn
    return { spanId, parentId, op: op === '-' ? null : op, name, startMs, endMs: startMs + columns * msPerColumn }
  })
}

/** Attributes of the drawn spans; by default those of SDK 11.8 in a browser. */
export interface Telling {
  readonly service?: 'browser' | 'server'
  readonly traceId?: string
  /** One hex digit in all ids, so that two drawings have different spans. */
  readonly ids?: string
  /** The remote parent of the segment. */
  readonly parentSpanId?: string
  readonly environment?: string | null
  readonly release?: string | null
  readonly attributes?: Readonly<Record<string, Json>>
  readonly header?: Json
  /** Further fields of the transaction payload. */
  readonly payload?: Json
  /** ms by which its clock is ahead. */
  readonly aheadMs?: number
  /** The container without its segment, like web vitals at the end of a page. */
  readonly late?: boolean
}

const NEXT = { name: 'sentry.javascript.nextjs', version: '11.8.0' }

/** The drawing as one transaction of the static lifecycle. */
export function transactionOf(spans: readonly DrawnSpan[], telling: Telling = {}): string {
  const [segment, ...children] = spans
  if (segment === undefined) throw new TypeError('a transaction has at least its own span')
  const { service = 'browser', traceId = TRACE, environment = 'production', release = 'shop@1.2.3' } = telling
  const { idOf, seconds } = tellingOf(telling)
  const dataOf = (span: DrawnSpan): Json => ({ ...telling.attributes?.[span.name] })
  const payload = {
    type: 'transaction',
    event_id: `${telling.ids ?? '0'}`.repeat(32),
    transaction: segment.name,
    platform: service === 'browser' ? 'javascript' : 'node',
    ...(environment !== null && { environment }),
    ...(release !== null && { release }),
    start_timestamp: seconds(segment.startMs),
    timestamp: seconds(segment.endMs),
    contexts: {
      trace: {
        trace_id: traceId,
        span_id: idOf(segment.spanId),
        ...(telling.parentSpanId && { parent_span_id: telling.parentSpanId }),
        ...(segment.op !== null && { op: segment.op }),
        status: 'ok',
        data: dataOf(segment),
      },
    },
    spans: children.map((span) => ({
      span_id: idOf(span.spanId),
      parent_span_id: idOf(span.parentId ?? segment.spanId),
      trace_id: traceId,
      ...(span.op !== null && { op: span.op }),
      description: span.name,
      start_timestamp: seconds(span.startMs),
      timestamp: seconds(span.endMs),
      data: dataOf(span),
    })),
    ...telling.payload,
  }
  return envelopeOf({ event_id: payload.event_id, sdk: NEXT, ...telling.header }, [{ type: 'transaction' }, payload])
}

/** The drawing as one container of the streamed lifecycle, children before their segment. */
export function containerOf(spans: readonly DrawnSpan[], telling: Telling = {}): string {
  const [segment, ...children] = spans
  if (segment === undefined) throw new TypeError('a container has at least its segment')
  const { service = 'browser', traceId = TRACE, environment = 'production', release = 'shop@1.2.3' } = telling
  const { idOf, seconds } = tellingOf(telling)
  const ofAll = {
    'sentry.sdk.name': NEXT.name,
    'sentry.sdk.version': NEXT.version,
    'sentry.segment.id': idOf(segment.spanId),
    'sentry.segment.name': segment.name,
    ...(environment !== null && { 'sentry.environment': environment }),
    ...(release !== null && { 'sentry.release': release }),
    ...(service === 'browser'
      ? { 'user_agent.original': 'Mozilla/5.0 (X11; Linux x86_64)' }
      : { 'process.runtime.name': 'node' }),
  }
  const items = [...children, ...(telling.late === true ? [] : [segment])].map((span) => ({
    trace_id: traceId,
    span_id: idOf(span.spanId),
    ...(span === segment
      ? telling.parentSpanId && { parent_span_id: telling.parentSpanId }
      : { parent_span_id: idOf(span.parentId ?? segment.spanId) }),
    name: span.name,
    status: 'ok',
    is_segment: span === segment,
    start_timestamp: seconds(span.startMs),
    end_timestamp: seconds(span.endMs),
    attributes: typed({
      ...ofAll,
      ...(span.op !== null && { 'sentry.op': span.op }),
      ...telling.attributes?.[span.name],
    }),
  }))
  const header = { type: 'span', item_count: items.length, content_type: 'application/vnd.sentry.items.span.v2+json' }
  return envelopeOf({ sdk: NEXT, ...telling.header }, [header, { version: 2, items }])
}

const typed = (attributes: Json): Json =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, { value, type: typeof value }]))

function tellingOf({ ids, aheadMs = 0 }: Telling) {
  return {
    idOf: (spanId: string): string => (ids === undefined ? spanId : `${ids}${spanId.slice(ids.length)}`),
    seconds: (ms: number): number => BEGIN_S + (ms + aheadMs) / 1000,
  }
}
