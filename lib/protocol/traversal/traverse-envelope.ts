import { quantityOf } from '../data-category'
import type { Envelope, EnvelopeItemFrame } from '../envelope'
import { hex32, positionalEventId } from '../ids'
import { titleOf } from '../items/event'
import { ITEM_PARSERS, isParsedType, isReadAsJson, type ParsedItemType, signalParserOf } from '../items/registry'
import type { ReadLimits } from '../items/signal'
import { shapeOf } from '../json-scanner'
import { isObject, text } from '../json-value'
import { MOST_VALUES, TOO_MANY_VALUES_MESSAGE } from '../parse-json'
import { parseRecord } from '../record'
import type { StoredSubmission } from '../submission'
import { segmentFromTransaction, segmentsFromSpanItems, serviceOf, serviceOfSignal } from '../trace/segment'
import type { RowVisitor, Source } from './rows'

/** The part of a submission that traversals read. */
export type TraversedSubmission = Pick<
  StoredSubmission,
  'seq' | 'journal' | 'receivedAt' | 'endpoint' | 'stamp' | 'target' | 'body'
> & { readonly copy: boolean }

/** Facts about an item. `problem`: why it could not be parsed; it is stored and relayed nevertheless. */
interface Finding {
  readonly traceId: string | null
  readonly eventId: string | null
  readonly environment: string | null
  /** Name and version of the SDK, if the payload names them. */
  readonly sdk?: string | null
  /** Of a transaction. */
  readonly innerSpans?: number
  readonly problem: string | null
}

/** @throws when the record is no envelope. Intake refuses such bodies, so this is a bug. */
export function traverseEnvelope(
  recorded: TraversedSubmission,
  rows: RowVisitor,
  digestedAt: number,
  sizeLimits: ReadLimits,
): void {
  const parsed = parseRecord(recorded.endpoint, recorded.body, undefined, recorded.target ?? null)
  if (!parsed.ok) throw new Error(`the record is not an envelope: ${parsed.error.message}`)
  const { header, items } = parsed.value
  const eventId = hex32(header.event_id)
  const dsc = isObject(header.trace) ? header.trace : {}
  const dscTrace = hex32(dsc.trace_id)
  const envelope = {
    parsed: parsed.value,
    eventId,
    sizeLimits,
    budget: new RowBudget(items.map(({ payload }) => payload)),
  }
  const findings = items.map((frame, item) => {
    const source: Source = { ...recorded, item }
    const finding = traverseItem(frame, envelope, rows, source)
    const traceId = finding.traceId ?? (isParsedType(frame.header.type) ? null : dscTrace)
    const row = {
      seq: recorded.seq,
      item,
      journal: recorded.journal,
      type: frame.header.type.slice(0, 64),
      ...quantityOf(frame),
      bytes: frame.payload.length,
      innerSpans: finding.innerSpans ?? 0,
      traceId,
      eventId: finding.eventId,
      problem: finding.problem,
    }
    rows.item(row, frame, source)
    return { ...finding, hasTrace: traceId !== null }
  })
  const traceOfItems = findings.map((finding) => finding.traceId).find((id) => id !== null) ?? null
  const row = {
    seq: recorded.seq,
    journal: recorded.journal,
    receivedAt: recorded.receivedAt,
    endpoint: recorded.endpoint,
    digestedAt,
    state: 'digested' as const,
    copy: recorded.copy,
    eventId,
    traceId: traceOfItems ?? dscTrace,
    traceOfHeader: dscTrace !== null && findings.every(({ hasTrace }) => !hasTrace),
    // Version 1 of the Python SDK names itself only in its payloads.
    sdk: sdkOf(header.sdk) ?? findings.map(({ sdk }) => sdk ?? null).find((name) => name !== null) ?? null,
    environment: findings.map((finding) => finding.environment).find((name) => name !== null) ?? text(dsc.environment),
    stamp: recorded.stamp,
  }
  rows.envelope(row, header)
}

/** Continues "3 …". */
const UNREADABLE_SPANS = 'of its spans have no id of 16 hex digits, or no start'
/** The problem of an item whose type nothing reads. */
const NOT_READ = 'not read'

const NOTHING: Finding = { traceId: null, eventId: null, environment: null, problem: null }

interface ItemContext {
  readonly parsed: Envelope
  readonly eventId: string | null
  readonly sizeLimits: ReadLimits
  readonly budget: RowBudget
}

type TraverseItem = (frame: EnvelopeItemFrame, around: ItemContext, rows: RowVisitor, source: Source) => Finding

export function traverseItem(...[frame, ...rest]: Parameters<TraverseItem>): Finding {
  const { type } = frame.header
  const refusal = rest[0].budget.refuse(type, frame.payload)
  if (refusal !== null) return { ...NOTHING, problem: refusal }
  return isParsedType(type) ? TRAVERSE_BY_TYPE[type](frame, ...rest) : traverseSignals(frame, ...rest)
}

function traverseSignals(frame: EnvelopeItemFrame, around: ItemContext, rows: RowVisitor, source: Source): Finding {
  const parse = signalParserOf(frame.header.type)
  if (parse === null) return { ...NOTHING, problem: NOT_READ }
  const { parsed: envelope, eventId, sizeLimits, budget } = around
  const { header, payload } = frame
  const parsed = parse({ header, payload, index: source.item, envelope, eventId, most: budget.most }, sizeLimits)
  if (!parsed.ok) return { ...NOTHING, problem: parsed.error }
  const { signals, unreadable, beyond, sender } = parsed.value
  budget.take(signals.length)
  const sdk = sender.sdk ?? (isObject(envelope.header.sdk) ? text(envelope.header.sdk.name) : null)
  const service = serviceOfSignal({ ...sender, sdk })
  for (const [index, signal] of signals.entries()) rows.signal({ ...signal, service }, index, source)
  return {
    traceId: signals[0]?.traceId ?? null,
    eventId: signals[0]?.eventId ?? null,
    environment: signals[0]?.environment ?? null,
    problem: problemOf(beyond, unreadable, 'of its entries could not be read'),
  }
}

function problemOf(beyond: number, unreadable = 0, because = ''): string | null {
  if (beyond > 0) return `its last ${beyond} entries are not listed: a record becomes at most ${MOST_ROWS} rows`
  return unreadable === 0 ? null : `${unreadable} ${because}`
}

function traverseEvent(
  frame: EnvelopeItemFrame,
  { eventId, sizeLimits, budget }: ItemContext,
  rows: RowVisitor,
  source: Source,
): Finding {
  const parsed = ITEM_PARSERS.event(frame.payload, eventId ?? positionalEventId(source.seq, source.item), sizeLimits)
  if (!parsed.ok) return { ...NOTHING, problem: parsed.error }
  const event = parsed.value
  const breadcrumbs = event.breadcrumbs.slice(-budget.most)
  budget.take(breadcrumbs.length)
  const runtime = isObject(event.contexts.runtime) ? text(event.contexts.runtime.name) : null
  rows.event(
    {
      ...event,
      timestampUs: event.timestampUs ?? source.receivedAt * 1000,
      title: titleOf(event).slice(0, 1000),
      service: serviceOf({ platform: event.platform, sdk: event.sdk, runtime }),
      digest: event.tags.digest ?? null,
    },
    breadcrumbs,
    source,
  )
  return {
    traceId: event.traceId,
    eventId: event.eventId,
    environment: event.environment,
    sdk: sdkOf(event.payload.sdk),
    problem: null,
  }
}

function traverseTransaction(
  frame: EnvelopeItemFrame,
  { eventId, sizeLimits, budget }: ItemContext,
  rows: RowVisitor,
  source: Source,
): Finding {
  const parsed = ITEM_PARSERS.transaction(frame.payload, eventId, sizeLimits, budget.most)
  if (!parsed.ok) return { ...NOTHING, problem: parsed.error }
  const { segment, spans } = segmentFromTransaction(parsed.value)
  budget.take(spans.length)
  rows.segment(segment, 0, source)
  for (const [index, span] of spans.entries()) rows.span(span, index, source)
  return {
    traceId: segment.traceId,
    eventId: parsed.value.eventId,
    environment: segment.environment,
    innerSpans: spans.length + parsed.value.unreadable + parsed.value.beyond,
    sdk: parsed.value.sdkVersion === null ? parsed.value.sdk : `${parsed.value.sdk} ${parsed.value.sdkVersion}`,
    problem: problemOf(parsed.value.beyond, parsed.value.unreadable, UNREADABLE_SPANS),
  }
}

function traverseContainer(
  frame: EnvelopeItemFrame,
  { sizeLimits, budget }: ItemContext,
  rows: RowVisitor,
  source: Source,
): Finding {
  const parsed = ITEM_PARSERS.span(frame.payload, sizeLimits, budget.most)
  if (!parsed.ok) return { ...NOTHING, problem: parsed.error }
  const { segments, spans } = segmentsFromSpanItems(parsed.value.spans)
  budget.take(spans.length)
  for (const [index, segment] of segments.entries()) rows.segment(segment, index, source)
  for (const [index, span] of spans.entries()) rows.span(span, index, source)
  const { unreadable, beyond } = parsed.value
  return {
    ...NOTHING,
    traceId: spans[0]?.traceId ?? null,
    environment: segments[0]?.environment ?? null,
    problem: problemOf(beyond, unreadable, UNREADABLE_SPANS),
  }
}

const TRAVERSE_BY_TYPE: Readonly<Record<ParsedItemType, TraverseItem>> = {
  event: traverseEvent,
  transaction: traverseTransaction,
  span: traverseContainer,
}

function sdkOf(sdk: unknown): string | null {
  if (!isObject(sdk)) return null
  const name = text(sdk.name)
  const version = text(sdk.version)
  return name === null || version === null ? name : `${name} ${version}`
}

/**
 * The most signals, spans and breadcrumbs that one record adds. An SDK sends about a thousand; 3 KB of deflated empty
 * entries would become a million. Beyond the limit each item still adds one row.
 */
export const MOST_ROWS = 20_000

/** Counts the rows and JSON values that a record may still add. Deterministic: a rebuild gives the same rows. */
export class RowBudget {
  #rows = MOST_ROWS
  #values = MOST_VALUES
  readonly #countsValues: boolean

  constructor(payloads: readonly Uint8Array[]) {
    // A value takes at least one byte, so a record with fewer bytes than the limit needs no counting.
    const bytes = payloads.reduce((sum, payload) => sum + payload.length + 1, 0)
    this.#countsValues = bytes > MOST_VALUES
  }

  get most(): number {
    return Math.max(1, this.#rows)
  }

  take(rows: number): void {
    this.#rows -= rows
  }

  /** Returns an error message when this payload must not be parsed, else `null`, and counts its values. */
  refuse(type: string, payload: Uint8Array): string | null {
    if (!this.#countsValues || !isReadAsJson(type)) return null
    const { excess, values } = shapeOf(payload, { depth: Number.POSITIVE_INFINITY, values: this.#values })
    if (excess !== null) return TOO_MANY_VALUES_MESSAGE
    this.#values -= values
    return null
  }
}
