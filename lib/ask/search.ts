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
import type { Call } from './calls'
import { label, received } from './received'
import { AskError, type AskSources } from './sources'
import { spanFilter } from './span-filter'
import { defineVerb } from './verb'

/** Rows of one search without `limit`, and with it. */
const DEFAULT_ROWS = 20
export const MOST_ROWS = 100

const KINDS = ['traces', 'spans', 'errors', 'logs', 'metrics', 'envelopes'] as const
type Kind = (typeof KINDS)[number]

const LISTS = {
  traces: 'traces',
  errors: 'errors',
  logs: 'signals',
  metrics: 'signals',
  envelopes: 'envelopes',
} as const

/** `search`: a list by the grammar of the boards, newest first. */
export const searchVerb = defineVerb({
  name: 'search',
  description:
    'Lists traces, spans, error groups, logs, metrics or envelopes, newest first. Query: key:value, -key:value, key:a*, duration:>100ms, time:>15m, "exact text", words; such as op:pageload status:error.',
  input: {
    kind: z.enum(KINDS),
    query: z
      .string()
      .max(2000)
      .optional()
      .describe('terms that all must hold; a wrong key is refused with the valid ones'),
    since: z.string().max(200).optional().describe('only what arrived after a mark, journal number, time or age'),
    limit: z.int().min(1).max(MOST_ROWS).optional().describe(`rows, by default ${DEFAULT_ROWS}`),
    cursor: cursorInput,
  },
  run: answerSearch,
})

interface SearchInput {
  readonly kind: Kind
  readonly query?: string | undefined
  readonly since?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

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
  readonly leftOut: LeftOut | undefined
}

async function answerSearch(
  sources: AskSources,
  { kind, query = '', since, limit, cursor }: SearchInput,
): Promise<Answer> {
  const after = since === undefined ? 0 : await sources.journalOf(since)
  if (kind !== 'spans') checkQuery(LISTS[kind], query, sources.now())
  const at = readCursor(cursor)?.at ?? ''
  const page = await readPage(sources, kind, query, { cursor: at || null, limit: limit ?? DEFAULT_ROWS })
  const rows = page.rows.filter(({ journal }) => journal > after)
  const isEnd = page.next === null || rows.length < page.rows.length
  const [first] = rows
  return {
    heading: own(`${kind[0]?.toUpperCase()}${kind.slice(1)}`),
    sections: [
      {
        heading: null,
        rows: [
          own(summary(rows.length, kind, { isEnd, isFirst: at === '', leftOut: page.leftOut })),
          ...rows.map((row) => row.line),
        ],
      },
    ],
    next: first === undefined ? emptyNext(kind, { query, since }) : [{ verb: 'get', args: { id: first.id } }],
    page: { at: at || `${page.journal + 1}-`, next: isEnd ? null : page.next },
  }
}

function summary(
  count: number,
  kind: Kind,
  {
    isEnd,
    isFirst,
    leftOut,
  }: { readonly isEnd: boolean; readonly isFirst: boolean; readonly leftOut: LeftOut | undefined },
): string {
  const noun = kind.slice(0, -1)
  if (count === 0 && isFirst && isEnd)
    return leftOut === undefined || leftOut.stored === 0
      ? `No ${noun} matches.`
      : `No ${noun} matches; ${plural(leftOut.stored, 'is', 'are')} stored.`
  return `${plural(count, noun)}, newest first; ${isEnd ? 'these are all' : 'more follow'}`
}

const emptyNext = (
  kind: Kind,
  { query, since }: { readonly query: string; readonly since: string | undefined },
): readonly Call[] =>
  query !== '' || since !== undefined
    ? [
        { verb: 'search', args: { kind } },
        { verb: 'status', args: {} },
      ]
    : [{ verb: 'explain', args: {} }]

/** @throws AskError for a term that does not apply: the search is never wider than the query */
function checkQuery(list: QueryList, query: string, nowMs: number): void {
  const { problems } = readQuery(list, query, nowMs)
  if (problems.length === 0) return
  const messages = problems.map(
    ({ message, suggestion }) => `${message}${suggestion === null ? '' : ` Try ${suggestion}`}`,
  )
  throw new AskError(`${messages.join('\n')}\nValid keys of ${list}: ${keysOf(list).join(', ')}.`)
}

async function readPage(
  { client, signal, now }: AskSources,
  kind: Kind,
  q: string,
  { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
): Promise<Page> {
  const options = { q, cursor, limit, signal }
  const rest = ({
    next,
    journal,
    leftOut,
  }: Pick<Page, 'next' | 'journal'> & { readonly leftOut?: LeftOut | undefined }) => ({ next, journal, leftOut })
  switch (kind) {
    case 'traces': {
      const page = await client.traces(options)
      return {
        ...rest(page),
        rows: page.traces.map((row) => ({ journal: row.journal, id: row.traceId, line: traceLine(row, now()) })),
      }
    }
    case 'spans': {
      const page = await client.spans({ cursor, limit, signal, filter: spanFilter(q) })
      return {
        ...rest(page),
        rows: page.spans.map((row) => ({
          journal: row.journal,
          id: `${row.traceId}/${row.spanId}`,
          line: spanLine(row),
        })),
      }
    }
    case 'errors': {
      const page = await client.errors(options)
      return {
        ...rest(page),
        rows: page.groups.map((row) => ({ journal: row.lastJournal, id: row.hash, line: errorLine(row, now()) })),
      }
    }
    case 'envelopes': {
      const page = await client.envelopes(options)
      return {
        ...rest(page),
        rows: page.envelopes.map((row) => ({
          journal: row.journal,
          id: String(row.seq),
          line: envelopeLine(row, now()),
        })),
      }
    }
    default: {
      const page = await client.signals(kind === 'logs' ? 'log' : 'metric', options)
      return {
        ...rest(page),
        rows: page.signals.map((row) => ({
          journal: row.journal,
          id: String(row.seq),
          line: signalLine(row),
        })),
      }
    }
  }
}

/** The status of delivery, where it says more than that all is well. */
export const deliveryPart = ({ name, reason }: TraceSummary['deliveryStatus']): Line | null =>
  name === 'accepted' || name === 'kept' ? null : own(`${name}${reason === null ? '' : ` (${reason})`}`)

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
    own(
      envelope.deliveryStatus.name +
        (envelope.deliveryStatus.reason === null ? '' : ` (${envelope.deliveryStatus.reason})`),
    ),
    agoOf(envelope.receivedAt, now),
  ])

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
    signal.traceId === null ? null : fact('trace', own(signal.traceId)),
    fact('envelope', signal.seq),
  ])
}
