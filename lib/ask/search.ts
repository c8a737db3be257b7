import * as z from 'zod'
import { keysOf, type QueryList } from '../filter/keys'
import { readQuery } from '../filter/query'
import { formatBytes, formatDurationUs, plural } from '../format'
import type { EnvelopeSummary } from '../wire/envelope'
import type { ErrorGroup } from '../wire/error-groups'
import type { SignalRow } from '../wire/signal'
import type { SpanRow, TraceSummary } from '../wire/trace'
import type { LeftOut } from '../wire/values'
import { type Answer, agoOf, cursorInput, fact, joined, type Line, line, own, readCursor, timeOf } from './answer'
import { getCall } from './calls'
import { label, MOST_LABEL, received } from './received'
import { AskError, type AskSources } from './sources'
import { spanFilter } from './span-filter'
import { defineVerb } from './verb'

/** Rows of one search without `limit`, and with it. */
const DEFAULT_ROWS = 20
export const MOST_ROWS = 100
/** Pages that a search reads for its rows. */
const MOST_PAGES = 20

const KINDS = ['traces', 'spans', 'errors', 'logs', 'metrics', 'envelopes'] as const
type Kind = (typeof KINDS)[number]

const LISTS = {
  traces: 'traces',
  errors: 'errors',
  logs: 'signals',
  metrics: 'signals',
  envelopes: 'envelopes',
} as const

const INPUT = {
  kind: z.enum(KINDS),
  query: z
    .string()
    .max(2000)
    .default('')
    .describe('terms that all must hold; a wrong key is refused with the valid ones'),
  since: z.string().max(200).optional().describe('only what arrived after a mark, journal number, time or age'),
  limit: z.int().min(1).max(MOST_ROWS).default(DEFAULT_ROWS).describe('rows'),
  cursor: cursorInput,
}

/** `search`: a list by the grammar of the boards, newest first. */
export const searchVerb = defineVerb({
  name: 'search',
  description:
    'Lists traces, spans, error groups, logs, metrics or envelopes, newest first. Query: key:value, -key:value, key:a*, duration:>100ms, time:>15m, "exact text", words; such as op:pageload status:error.',
  input: INPUT,
  run: answerSearch,
})

/** A row of a list: its place in the journal, its line, and the call that shows more of it. */
interface Found {
  readonly journal: number
  readonly line: Line
  readonly id: string
}

interface Page {
  readonly rows: readonly Found[]
  readonly next: string | null
  readonly journal: number
  readonly leftOut?: LeftOut | undefined
}

async function answerSearch(
  sources: AskSources,
  { kind, query, since, limit, cursor }: z.infer<z.ZodObject<typeof INPUT>>,
): Promise<Answer> {
  const after = since === undefined ? 0 : await sources.journalOf(since)
  if (kind !== 'spans') checkQuery(LISTS[kind], query, sources.now())
  const at = readCursor(cursor)?.at ?? ''
  const page = await readPages(sources, kind, query, { cursor: at || null, limit })
  const rows = page.rows.filter(({ journal }) => journal > after)
  const isEnd = page.next === null || rows.length < page.rows.length
  const [first] = rows
  return {
    heading: own(`${kind[0]?.toUpperCase()}${kind.slice(1)}`),
    sections: [
      {
        heading: null,
        rows: [
          own(summary(rows.length, kind, isEnd, at === '' ? (page.leftOut?.stored ?? 0) : null)),
          ...rows.map((row) => row.line),
        ],
      },
    ],
    next: [first === undefined ? { verb: 'status', args: {} } : getCall(first.id)],
    page: { at: at || `${page.journal + 1}-`, next: isEnd ? null : page.next },
  }
}

/** @param stored rows of the whole list; `null` for a page that is not the first */
function summary(count: number, kind: Kind, isEnd: boolean, stored: number | null): string {
  const noun = kind.slice(0, -1)
  if (count === 0 && isEnd && stored !== null)
    return `No ${noun} matches${stored === 0 ? '' : `; ${plural(stored, 'is', 'are')} stored`}.`
  return `${plural(count, noun)}, newest first; ${isEnd ? 'these are all' : 'more follow'}`
}

/** @throws AskError for a term that does not apply: the search is never wider than the query */
function checkQuery(list: QueryList, query: string, nowMs: number): void {
  const { problems } = readQuery(list, query, nowMs)
  if (problems.length === 0) return
  const messages = problems.map(
    ({ message, suggestion }) => `${message}${suggestion === null ? '' : ` Try ${suggestion}`}`,
  )
  throw new AskError(`${messages.join('\n')}\nValid keys of ${list}: ${keysOf(list).join(', ')}.`)
}

/** Reads until there are enough rows: a collector answers with fewer when its scan took too long. */
async function readPages(...[sources, kind, q, { cursor, limit }]: Parameters<typeof readPage>): Promise<Page> {
  let page = await readPage(sources, kind, q, { cursor, limit })
  for (let pages = 1; pages < MOST_PAGES && page.next !== null && page.rows.length < limit; pages += 1) {
    const more = await readPage(sources, kind, q, { cursor: page.next, limit: limit - page.rows.length })
    page = { ...page, rows: [...page.rows, ...more.rows], next: more.next }
  }
  return page
}

async function readPage(
  { client, signal, now }: AskSources,
  kind: Kind,
  q: string,
  { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
): Promise<Page> {
  const options = { q, cursor, limit, signal }
  if (kind === 'traces') {
    const page = await client.traces(options)
    return pageOf(page, page.traces, (row) => [row.journal, row.traceId, traceLine(row, now())])
  }
  if (kind === 'spans') {
    const page = await client.spans({ cursor, limit, signal, filter: spanFilter(q) })
    return pageOf(page, page.spans, (row) => [row.journal, `${row.traceId}/${row.spanId}`, spanLine(row)])
  }
  if (kind === 'errors') {
    const page = await client.errors(options)
    return pageOf(page, page.groups, (row) => [row.lastJournal, row.hash, errorLine(row, now())])
  }
  if (kind === 'envelopes') {
    const page = await client.envelopes(options)
    return pageOf(page, page.envelopes, (row) => [row.journal, String(row.seq), envelopeLine(row, now())])
  }
  const page = await client.signals(kind === 'logs' ? 'log' : 'metric', options)
  return pageOf(page, page.signals, (row) => [row.journal, String(row.seq), signalLine(row)])
}

const pageOf = <Row>(
  { next, journal, leftOut }: Omit<Page, 'rows'>,
  rows: readonly Row[],
  found: (row: Row) => readonly [journal: number, id: string, line: Line],
): Page => ({
  ...{ next, journal, leftOut },
  rows: rows.map((row) => {
    const [of, id, shown] = found(row)
    return { journal: of, id, line: shown }
  }),
})

/** The status of a delivery with its reason. */
export const deliveryText = ({ name, reason }: TraceSummary['deliveryStatus']): Line =>
  own(reason === null ? name : `${name} (${reason})`)

/** The same, where it says more than that all is well. */
const deliveryPart = (status: TraceSummary['deliveryStatus']): Line | null =>
  status.name === 'accepted' || status.name === 'kept' ? null : deliveryText(status)

const traceLine = (trace: TraceSummary, now: number): Line =>
  joined([
    own(trace.traceId),
    label('op', trace.op),
    label('name', trace.name),
    own(formatDurationUs(trace.durationUs)),
    trace.status === 'error' ? own('error') : null,
    own(plural(trace.spanCount, 'span')),
    trace.errorCount === 0 ? null : own(plural(trace.errorCount, 'error')),
    ...trace.services.map((service) => label('service', service)),
    deliveryPart(trace.deliveryStatus),
    agoOf(trace.receivedAt, now),
  ])

const spanLine = (span: SpanRow): Line =>
  joined([
    own(`${span.traceId}/${span.spanId}`),
    label('op', span.op),
    label('name', span.name),
    own(formatDurationUs(span.endUs - span.startUs)),
    span.status === null || span.status === 'ok' ? null : label('status', span.status),
    label('service', span.service),
    deliveryPart(span.deliveryStatus),
  ])

const errorLine = (group: ErrorGroup, now: number): Line =>
  joined([
    own(group.hash),
    received('title', group.title, 300),
    own(plural(group.count, 'event')),
    group.unhandled === 0 ? null : own(`${group.unhandled} unhandled`),
    group.file === null
      ? null
      : line`at ${label('filename', group.file)}${group.line === null ? null : own(`:${group.line}`)}`,
    ...group.services.values.map(({ value }) => label('service', value)),
    fact('in', label('transaction', group.transaction)),
    group.muted ? own('muted') : null,
    fact('newest', own(group.newestEventId)),
    agoOf(group.lastSeenUs / 1000, now),
  ])

const envelopeLine = (envelope: EnvelopeSummary, now: number): Line =>
  joined([
    own(`${envelope.seq}`),
    envelope.items.length === 0 ? own(envelope.endpoint) : null,
    ...envelope.items
      .slice(0, 5)
      .map(({ type, problem }) =>
        problem === null ? label('type', type) : line`${label('type', type)} (${received('problem', problem, 200)})`,
      ),
    envelope.items.length > 5 ? own(`${envelope.items.length - 5} more items`) : null,
    label('sdk', envelope.sdk),
    own(formatBytes(envelope.bytes)),
    deliveryText(envelope.deliveryStatus),
    agoOf(envelope.receivedAt, now),
  ])

/** Attributes of a log that an answer shows. */
const MOST_ATTRIBUTES = 6

/** The attributes that the program set itself: those of the SDK, such as `sentry.release`, stand elsewhere. */
export function logAttributes({ attributes }: SignalRow['fields']): readonly Line[] {
  if (typeof attributes !== 'object' || attributes === null) return []
  return Object.entries(attributes)
    .filter(([name]) => !/^(?:sentry|server|telemetry|process|os|browser)\./.test(name))
    .slice(0, MOST_ATTRIBUTES)
    .map(
      ([name, value]: [string, unknown]) => line`${label('name', name)}=${received(name, value ?? 'null', MOST_LABEL)}`,
    )
}

const signalLine = (signal: SignalRow): Line => {
  const { value, unit } = signal.fields
  return joined([
    timeOf(signal.timestampUs / 1000),
    label('level', signal.level),
    received('message', signal.name, 300),
    signal.kind === 'metric'
      ? joined([received('value', value, 80), typeof unit === 'string' ? label('unit', unit) : null], ' ')
      : null,
    label('service', signal.service),
    ...logAttributes(signal.fields),
    fact('trace', own(signal.traceId)),
    fact('envelope', signal.seq),
  ])
}
