import type { Envelope, EnvelopeItemFrame } from '../protocol/envelope'
import { type EventItem, readEvent, titleOf } from '../protocol/items/event'
import type { ReadLimits } from '../protocol/items/signal'
import type { JsonObject } from '../protocol/json-value'
import type { Endpoint } from '../protocol/request'
import type { StoredSubmission } from '../protocol/submission'
import type { RowVisitor, Source } from '../protocol/traversal/rows'
import { MOST_ROWS, type TraversedSubmission, traverseEnvelope } from '../protocol/traversal/traverse-envelope'
import { decodeRequest, type ExportRequest } from './decode'
import { exceptionsOf } from './exceptions'
import { type ReadSignals, readLogs } from './logs'
import { readMetrics } from './metrics'
import { CATEGORY_OF_SIGNAL, encodingOf, type OtlpSignal, signalOf } from './signals'
import { type ReadSpan, readSpans } from './spans'

/** A record with the media type that its sender named. Only records of OTLP need it. */
export type TypedSubmission = TraversedSubmission & Pick<StoredSubmission, 'contentType'>

/** Traverses any record: an envelope, or an export request of OTLP. */
export function traverseRecorded(
  recorded: TypedSubmission,
  rows: RowVisitor,
  digestedAt: number,
  sizeLimits: ReadLimits,
): void {
  const signal = signalOf(recorded.endpoint)
  if (signal === null) traverseEnvelope(recorded, rows, digestedAt, sizeLimits)
  else traverseRequest(signal, recorded, rows, digestedAt, sizeLimits)
}

/** The contents of a request, as the visitor's rows need them. */
interface Contents {
  readonly entries: number
  readonly invalid: number
  readonly beyond: number
  readonly traceId: string | null
  readonly environment: string | null
  readonly sdk: string | null
}

function traverseRequest(
  signal: OtlpSignal,
  recorded: TypedSubmission,
  rows: RowVisitor,
  digestedAt: number,
  sizeLimits: ReadLimits,
): void {
  const { seq, journal, receivedAt, endpoint, copy, stamp, body } = recorded
  const request = decodeRequest(signal, encodingOf(recorded.contentType ?? null) ?? 'json', body)
  if (!request.ok) throw new Error(`the record is no ${signal} request: ${request.error}`)
  const source: Source = { seq, item: 0, journal, receivedAt, copy, stamp }
  const contents =
    signal === 'traces'
      ? traverseSpans(request.value, rows, source, sizeLimits)
      : traverseSignals(
          signal === 'logs' ? readLogs(request.value, MOST_ROWS) : readMetrics(request.value, MOST_ROWS),
          rows,
          source,
        )
  const { traceId, environment, sdk } = contents
  const row = {
    seq,
    item: 0,
    journal,
    type: endpoint,
    category: CATEGORY_OF_SIGNAL[signal],
    quantity: contents.entries,
    bytes: body.length,
    innerSpans: 0,
    traceId,
    eventId: null,
    problem: problemOf(contents),
  }
  rows.item(row, frameOf(endpoint, body), source)
  rows.envelope(
    {
      seq,
      journal,
      receivedAt,
      endpoint,
      digestedAt,
      state: 'digested',
      copy,
      eventId: null,
      traceId,
      traceOfHeader: false,
      sdk,
      environment,
      stamp,
    },
    NO_HEADER,
  )
}

const NO_HEADER: Envelope['header'] = {}

/** A request as the only item of a record. */
const frameOf = (endpoint: Endpoint, body: Uint8Array): EnvelopeItemFrame => ({
  header: { type: endpoint },
  start: 0,
  payloadStart: 0,
  payloadEnd: body.length,
  payload: body,
})

function problemOf({ invalid, beyond }: Contents): string | null {
  if (beyond > 0) return `its last ${beyond} entries are not listed: a record becomes at most ${MOST_ROWS} rows`
  return invalid === 0 ? null : `${invalid} of its entries have no valid ids, no start or no data`
}

function traverseSpans(request: ExportRequest, rows: RowVisitor, source: Source, sizeLimits: ReadLimits): Contents {
  const { spans, invalid, beyond } = readSpans(request, MOST_ROWS)
  let segments = 0
  for (const [index, read] of spans.entries()) {
    const { span, segment } = read
    if (segment !== null) {
      rows.segment(segment, segments, source)
      segments += 1
    }
    rows.span(span, index, source)
    for (const payload of exceptionsOf(read)) visitException(payload, read, rows, source, sizeLimits)
  }
  const [first] = spans
  return {
    entries: spans.length + beyond,
    invalid,
    beyond,
    traceId: first?.span.traceId ?? null,
    environment: first?.sender.environment ?? null,
    sdk: first === undefined ? null : versioned(first.sender),
  }
}

function visitException(
  payload: JsonObject,
  { sender }: ReadSpan,
  rows: RowVisitor,
  source: Source,
  sizeLimits: ReadLimits,
): void {
  const parsed = readEvent(payload, null, sizeLimits)
  if (!parsed.ok) return
  const event: EventItem = parsed.value
  rows.event(
    {
      ...event,
      timestampUs: event.timestampUs ?? source.receivedAt * 1000,
      title: titleOf(event).slice(0, 1000),
      service: sender.service,
      digest: null,
    },
    [],
    source,
  )
}

function traverseSignals({ signals, invalid, beyond }: ReadSignals, rows: RowVisitor, source: Source): Contents {
  for (const [index, { signal, sender }] of signals.entries())
    rows.signal({ ...signal, service: sender.service }, index, source)
  const [first] = signals
  return {
    entries: signals.length + beyond,
    invalid,
    beyond,
    traceId: signals.find(({ signal }) => signal.traceId !== null)?.signal.traceId ?? null,
    environment: first?.sender.environment ?? null,
    sdk: first === undefined ? null : versioned(first.sender),
  }
}

const versioned = ({ sdk, sdkVersion }: { readonly sdk: string; readonly sdkVersion: string | null }): string =>
  sdkVersion === null ? sdk : `${sdk} ${sdkVersion}`
