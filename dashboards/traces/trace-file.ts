import { formatCount, plural } from '../../lib/format'
import { groupBy } from '../../lib/group-by'
import { shapeOf } from '../../lib/protocol/json-scanner'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { SIZE_LIMITS } from '../../lib/protocol/size-limits'
import { httpStatusOf, isErrorStatus } from '../../lib/protocol/trace/span-status'
import { buildSpanTree, datedOrAll } from '../../lib/protocol/trace/span-tree'
import type { SpanDetail } from '../../lib/wire/trace'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import { type FileSpan, spansOfJson } from './file-spans'
import { extent } from './time-axis'
import type { TraceData } from './trace-data'

/** Limits of a trace file: its bytes, and spans that are shown. */
export const MOST_FILE_BYTES = 64 * 1024 ** 2
export const MOST_FILE_SPANS = 100_000

/** A trace that was read from a file, in memory. */
export interface TraceFile {
  readonly trace: TraceData
  /** The attributes and other fields of a span. */
  readonly detailOf: (spanId: string) => SpanDetail | null
  /** Traces of the file that are not shown: those with fewer spans. */
  readonly others: number
}

export const FORMATS =
  'Three formats are read: JSON of Waystation (/query/traces/{id}: "summary" and "spans"), OTLP JSON ("resourceSpans"; one request, or one on each line), and JSON of Jaeger ("data" with "spans").'

/** Reads a file, or says what is wrong with it. Only a file that is small enough is read. */
export async function openTraceFile(
  file: Pick<File, 'name' | 'size' | 'arrayBuffer'>,
): Promise<Result<TraceFile, string>> {
  if (file.size > MOST_FILE_BYTES)
    return fail(
      `The file has ${formatCount(file.size)} bytes; at most ${formatCount(MOST_FILE_BYTES)} (64 MiB) are read.`,
    )
  try {
    return readTraceFile(file.name, new Uint8Array(await file.arrayBuffer()))
  } catch (error) {
    return fail(`The file could not be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Reads the trace with the most spans of a file's content. @param name of the file */
export function readTraceFile(name: string, bytes: Uint8Array): Result<TraceFile, string> {
  const values = parse(bytes)
  if (!values.ok) return values
  const found = spansOfJson(values.value)
  if (found === null) return fail(`Found ${describe(values.value)}. ${FORMATS}`)
  const traces = groupBy(found.spans, ({ traceId }) => traceId)
  const [most, ...others] = [...traces.values()].sort((a, b) => b.length - a.length)
  if (most === undefined)
    return fail(
      `Found ${found.format} with ${plural(found.invalid, 'span')}, of which none has a trace id, a span id and a start. ${FORMATS}`,
    )
  return succeed({ ...traceOf(name, most, found.title), others: others.length })
}

function traceOf(file: string, all: readonly FileSpan[], title: string | null): Omit<TraceFile, 'others'> {
  const byId = new Map(all.slice(0, MOST_FILE_SPANS).map((span) => [span.spanId, span]))
  const given = [...byId.values()]
  const spans = given.map(traceSpan)
  const { startUs, endUs } = extent(datedOrAll(spans)) ?? { startUs: 0, endUs: 0 }
  const root = buildSpanTree(spans).roots[0]?.span
  const traceId = given[0]?.traceId ?? ''
  const deliveryStatus = { name: 'kept', reason: null } as const
  const own = { environment: null, release: null, journal: 0, receivedAt: 0, deliveryStatus }
  const missing = all.length - Math.min(all.length, MOST_FILE_SPANS)
  const isFailed = spans.some(({ status }) => isErrorStatus(status))
  const trace: TraceData = {
    summary: {
      ...{ traceId, ...own, lastSeq: 0, startUs, durationUs: endUs - startUs, name: title ?? root?.name ?? '' },
      ...{ op: root?.op ?? null, status: isFailed ? 'error' : null, segmentCount: 0, spanCount: all.length },
      ...{ errorCount: 0, services: [...new Set(spans.map(({ service }) => service))], copy: 'no' },
    },
    // Nothing that names a record, so that no part of the page asks the collector about it.
    ...{ segments: [], submissions: [], errors: [], breadcrumbs: [], dropped: { attributes: 0, events: 0, links: 0 } },
    ...{ file, spans, isWhole: true, received: spans.length, expected: all.length, journal: 0 },
    gaps: missing > 0 ? [{ of: 'spans', missing, limit: MOST_FILE_SPANS }] : [],
  }
  // Made when a span is opened: there may be 100,000.
  const detailOf = (spanId: string): SpanDetail | null => {
    const span = byId.get(spanId)
    if (span === undefined) return null
    const fields = { ...span, segmentId: null, isSegment: false, origin: null, links: [], seq: 0, item: 0 }
    return { span: { ...fields, ...own }, deprecated: {}, journal: 0 }
  }
  return { trace, detailOf }
}

function traceSpan({
  spanId,
  parentSpanId,
  startUs,
  endUs,
  service,
  op,
  name,
  status,
  attributes,
}: FileSpan): TraceSpan {
  const times = { startUs, endUs, service, op, name, status, httpStatus: httpStatusOf(attributes) }
  return { spanId, parentSpanId, segmentId: null, isSegment: false, ...times, seq: 0, item: 0 }
}

/** One JSON value, or several on lines of their own. */
function parse(bytes: Uint8Array): Result<readonly unknown[], string> {
  const { excess } = shapeOf(bytes, { depth: SIZE_LIMITS.depth, values: Number.POSITIVE_INFINITY })
  if (excess !== null) return fail(`Found JSON that is nested deeper than ${SIZE_LIMITS.depth} levels. ${FORMATS}`)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return fail(`Found no text in UTF-8. ${FORMATS}`)
  }
  const whole = parseText(text)
  if (whole.ok) return succeed([whole.value])
  const values: unknown[] = []
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const value = parseText(line)
    if (!value.ok) return fail(`Found no JSON, or a part of it: ${whole.error}. ${FORMATS}`)
    values.push(value.value)
  }
  return succeed(values)
}

function parseText(text: string): Result<unknown, string> {
  try {
    const value: unknown = JSON.parse(text)
    return succeed(value)
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

/** Fields that a message names. */
const MOST_FIELDS = 8

function describe([first, ...more]: readonly unknown[]): string {
  if (more.length > 0)
    return `${formatCount(more.length + 1)} lines of JSON, of which the first is ${describe([first])}`
  if (first === undefined) return 'an empty file'
  if (Array.isArray(first)) return `a list of ${formatCount(first.length)}`
  if (typeof first !== 'object' || first === null) return `a JSON ${first === null ? 'null' : typeof first}`
  const fields = Object.keys(first)
    .slice(0, MOST_FIELDS)
    .map((field) => field.slice(0, 40))
  return fields.length === 0 ? 'an empty object' : `an object with ${fields.join(', ')}`
}
