import type * as z from 'zod'
import { type ContractOptions, contractQuery, contractSchema } from './contract'
import { type DeadLetterOrder, deadLettersDoneSchema, deadLettersPageSchema, deliveriesPageSchema } from './delivery'
import { envelopeOutcomesSchema, outcomesPageSchema } from './delivery-status'
import { envelopeDetailSchema, envelopesPageSchema } from './envelope'
import { CollectorError, readRefusal } from './errors'
import { breadcrumbsPageSchema, eventDetailSchema, eventsPageSchema } from './event'
import { figuresSchema } from './figures'
import { type FilteredList, type FilterOf, writeFilter } from './filter'
import {
  type JournalFact,
  journalFactSchema,
  journalPageSchema,
  type RecordedOptions,
  recordedPageSchema,
  recordedQuery,
} from './journal'
import { limitsNowSchema } from './limits'
import { lossesSchema } from './losses'
import { admissionSchema, overviewSchema, probedSchema, statusSchema } from './overview'
import { keptRunsSchema, type RunOrder } from './run'
import { flushedSchema, type Service, servicesSchema } from './services'
import { type SignalRow, signalCountsSchema, signalDetailSchema, signalsPageSchema } from './signal'
import { type SpanExpectationOptions, spanExpectationQuery, spanExpectationSchema } from './span-expectation'
import { type GivenScript, playedScriptSchema, type StandInState, standInStateSchema } from './stand-in'
import { redigestSchema, storageSchema } from './storage'
import {
  SHOWN_SPANS,
  segmentDetailSchema,
  segmentsPageSchema,
  spanDetailSchema,
  spansPageSchema,
  traceDetailSchema,
  tracesPageSchema,
} from './trace'

interface PageOptions<List extends FilteredList> {
  /** See `lib/wire/filter`; empty values are ignored. */
  readonly filter?: FilterOf<List>
  /** `next` of an earlier page. */
  readonly cursor?: string | null
  /** 1 to 200, by default 50. */
  readonly limit?: number
  readonly signal?: AbortSignal
}

/** Includes the question mark; `of` are further parameters. */
function pageQuery<List extends FilteredList>(
  options: PageOptions<List> = {},
  of: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams(of)
  if (options.filter !== undefined) writeFilter(query, options.filter)
  if (options.cursor) query.set('cursor', options.cursor)
  if (options.limit !== undefined) query.set('limit', String(options.limit))
  return query.size === 0 ? '' : `?${query}`
}

export { CollectorError }

interface LossesOptions {
  readonly stamp?: string
  readonly signal?: AbortSignal
}

export type CollectorClient = ReturnType<typeof collectorClient>

/**
 * A client of the collector that parses every answer. @throws CollectorError on every refusal, and without an answer.
 * @param base the URL prefix of the collector's routes: `/collector` in the browser, `http://127.0.0.1:8969` elsewhere.
 */
export function collectorClient(base: string, fetchLike: typeof fetch, headers: HeadersInit = {}) {
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    try {
      const all = { ...headers, ...init.headers }
      const response = await fetchLike(`${base}${path}`, { cache: 'no-store', ...init, headers: all })
      if (response.ok) return response
      throw await readRefusal(response)
    } catch (cause) {
      if (cause instanceof CollectorError || (cause instanceof Error && cause.name === 'AbortError')) throw cause
      throw new CollectorError(null, 'the collector cannot be reached', { cause })
    }
  }
  const read = async <Shape>(path: string, shape: z.ZodType<Shape>, signal?: AbortSignal): Promise<Shape> =>
    shape.parse(await (await ask(path, signal === undefined ? {} : { signal })).json())
  /** `null` when the collector answers with this status. */
  const readUnless = async <Shape>(
    status: number,
    ...[path, shape, signal]: Parameters<typeof read<Shape>>
  ): Promise<Shape | null> => {
    try {
      return await read(path, shape, signal)
    } catch (error) {
      if (error instanceof CollectorError && error.status === status) return null
      throw error
    }
  }
  const post = (path: string, body: object, signal?: AbortSignal): Promise<Response> =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal !== undefined && { signal }),
    })
  const order = async <Shape>(path: string, body: object, shape: z.ZodType<Shape>, signal?: AbortSignal) =>
    shape.parse(await (await post(path, body, signal)).json())
  const list =
    <List extends FilteredList, Shape>(name: List, shape: z.ZodType<Shape>) =>
    (options?: PageOptions<List>): Promise<Shape> =>
      read(`/query/${name}${pageQuery(options)}`, shape, options?.signal)
  return {
    overview: (signal?: AbortSignal) => read('/query/overview', overviewSchema, signal),
    traces: list('traces', tracesPageSchema),
    trace: (traceId: string, signal?: AbortSignal) =>
      readUnless(404, `/query/traces/${encodeURIComponent(traceId)}?spans=${SHOWN_SPANS}`, traceDetailSchema, signal),
    segments: list('segments', segmentsPageSchema),
    segment: (traceId: string, segmentId: string, signal?: AbortSignal) =>
      readUnless(404, `/query/segments/${traceId}/${segmentId}`, segmentDetailSchema, signal),
    spans: list('spans', spansPageSchema),
    span: (traceId: string, spanId: string, signal?: AbortSignal) =>
      readUnless(404, `/query/spans/${traceId}/${spanId}`, spanDetailSchema, signal),
    events: list('events', eventsPageSchema),
    event: (eventId: string, signal?: AbortSignal) =>
      readUnless(404, `/query/events/${encodeURIComponent(eventId)}`, eventDetailSchema, signal),
    envelopes: list('envelopes', envelopesPageSchema),
    envelope: (seq: number, signal?: AbortSignal) =>
      readUnless(404, `/query/envelopes/${seq}`, envelopeDetailSchema, signal),
    deliveries: list('deliveries', deliveriesPageSchema),
    breadcrumbs: list('breadcrumbs', breadcrumbsPageSchema),
    outcomes: list('outcomes', outcomesPageSchema),
    /** The outcomes of one envelope; `null` when it is not stored. */
    outcomesOf: (seq: number, signal?: AbortSignal) =>
      readUnless(404, `/query/outcomes/${seq}`, envelopeOutcomesSchema, signal),
    limits: (signal?: AbortSignal) => read('/query/limits', limitsNowSchema, signal),
    /** Created, accepted and lost telemetry: all of it, or that of one stamp. */
    losses: ({ stamp, signal }: LossesOptions = {}) =>
      read(`/query/losses${pageQuery({}, stamp === undefined ? {} : { stamp })}`, lossesSchema, signal),
    /** Each setting of the runtime contract, with its verdict on the recorded telemetry. */
    contract: (options?: ContractOptions) =>
      read(`/query/contract${contractQuery(options)}`, contractSchema, options?.signal),
    /** Whether a trace contains the spans of a pattern; answers as soon as one does. */
    expectSpans: (options: SpanExpectationOptions) =>
      read(`/query/expect${spanExpectationQuery(options)}`, spanExpectationSchema, options.signal),
    deadLetters: (options?: Omit<PageOptions<FilteredList>, 'filter'>) =>
      read(`/query/dead-letters${pageQuery(options)}`, deadLettersPageSchema, options?.signal),
    /** Sends dead letters again, or drops them. Returns how many, and those that a rate limit keeps back. */
    orderDeadLetters: (given: DeadLetterOrder, signal?: AbortSignal) =>
      order('/control/dead-letters', given, deadLettersDoneSchema, signal),
    rawUrl: (seq: number) => `${base}/query/envelopes/${seq}?raw`,
    signals: (kind: SignalRow['kind'], options?: PageOptions<'signals'>) =>
      read(`/query/signals${pageQuery(options, { kind })}`, signalsPageSchema, options?.signal),
    signal: (kind: SignalRow['kind'], key: string, signal?: AbortSignal) =>
      readUnless(404, `/query/signals/${kind}/${encodeURIComponent(key)}`, signalDetailSchema, signal),
    signalCounts: (signal?: AbortSignal) => read('/query/signals/counts', signalCountsSchema, signal),
    /** In order of time; as many as fit into one answer. */
    signalsOfTrace: (trace: string, signal?: AbortSignal) =>
      read(`/query/signals${pageQuery({}, { trace })}`, signalsPageSchema, signal),
    /** The first stored fact at or after a journal number; `null` when there is none. */
    fact: async (from: number, signal?: AbortSignal): Promise<JournalFact | null> => {
      const page = await read(`/query/journal?after=${Math.max(0, from - 1)}&limit=1`, journalPageSchema, signal)
      return page.facts[0] ?? null
    },
    /** The stored facts after a journal number, up to 1000. @param wait seconds to wait for the first, at most 60 */
    facts: (after: number, wait: number, signal?: AbortSignal) =>
      read(`/query/journal?after=${after}&wait=${wait}`, journalPageSchema, signal),
    /** Submissions with their bytes, oldest first, as soon as they are on disk. */
    recorded: (options?: RecordedOptions) =>
      read(`/query/recorded${recordedQuery(options)}`, recordedPageSchema, options?.signal),
    /** Whether intake accepts this key and project. */
    admission: (of: { readonly key: string; readonly project: string }, signal?: AbortSignal) =>
      read(`/query/admission?${new URLSearchParams({ ...of })}`, admissionSchema, signal),
    /** The figures of the navigation; with `minutes`, also the counts of each minute of the last hour. */
    figures: (minutes = false, signal?: AbortSignal) =>
      read(`/query/figures${minutes ? '?minutes=60' : ''}`, figuresSchema, signal),
    storage: (signal?: AbortSignal) => read('/query/storage', storageSchema, signal),
    status: (signal?: AbortSignal) => read('/query/status', statusSchema, signal),
    /** Deletes records without pending deliveries; with `pending` also the others, whose outcome is then `dropped`. */
    clear: async (options: { readonly pending: boolean }) => void (await post('/control/clear', options)),
    /** Requests a flush of every server that follows the collector (`waystation/server`), and waits for it up to 2 s. */
    flushServices: (signal?: AbortSignal) => order('/control/flush', {}, flushedSchema, signal),
    services: async (signal?: AbortSignal): Promise<readonly Service[]> =>
      (await read('/control/services', servicesSchema, signal)).services,
    /** Starts a rebuild of all rows, unless one is running. It may have ended when this resolves. */
    redigest: (signal?: AbortSignal) => order('/control/redigest', {}, redigestSchema, signal),
    redigestState: (signal?: AbortSignal) => read('/control/redigest', redigestSchema, signal),
    /** The runs that `waystation run` keeps in the data folder, newest first. */
    runs: (signal?: AbortSignal) => read('/query/runs', keptRunsSchema, signal),
    /** Pins, names, deletes, opens or closes one of them; returns the new list. */
    orderRun: (given: RunOrder) => order('/control/runs', given, keptRunsSchema),
    streamUrl: `${base}/query/stream`,
    /** The stand-in's script and the posts it received; `null` without a stand-in. */
    standIn: (signal?: AbortSignal): Promise<StandInState | null> =>
      readUnless(409, '/control/upstream', standInStateSchema, signal),
    /** Replaces the script; an empty one answers 200 to everything. Returns the new script. */
    play: (script: GivenScript, signal?: AbortSignal) => order('/control/upstream', script, playedScriptSchema, signal),
    receivedUrl: (n: number) => `${base}/control/upstream/received/${n}`,
    /** Tries backing-off and paused upstreams now. Returns their number. */
    tryNow: async (signal?: AbortSignal) => (await order('/control/probe', {}, probedSchema, signal)).probed,
    /** Allows or forbids that lab telemetry leaves this machine. Returns the new setting. */
    setLabRelay: async (relay: boolean) => {
      await post('/control/lab', { relay })
      return relay
    },
  }
}

/** One message of the live stream; `null` when it is not a journal fact. */
export function parseJournalMessage(data: string): JournalFact | null {
  const parsed = journalFactSchema.safeParse(JSON.parse(data))
  return parsed.success ? parsed.data : null
}
