import type * as z from 'zod'
import { isObject } from '../protocol/json-value'
import type { ContractOptions } from './contract'
import type { DeadLetterOrder } from './delivery'
import type { GroupMarkOrder } from './error-groups'
import { CollectorError, readRefusal } from './errors'
import type { FilteredList } from './filter'
import type { JournalFact, RecordedOptions } from './journal'
import type { MarkOrder } from './marks'
import {
  columnsQuery,
  contractQuery,
  type PageOptions,
  pageQuery,
  recordedQuery,
  spanExpectationQuery,
} from './query-address'
import type { RunOrder } from './run'
import type { Service } from './services'
import type { SignalRow } from './signal'
import type { SpanExpectationOptions } from './span-expectation'
import type { GivenScript, StandInState } from './stand-in'
import { nextTurn, readTracePieces, type TraceColumnsOptions, type TracePiece } from './trace-columns'
import { WIRE_HEADER, WIRE_VERSION } from './wire-version'

/** Only its type is imported: pages load no schemas. */
type Shapes = typeof import('./shapes')
type ShapeOf<Shape> = (of: Shapes) => z.ZodType<Shape>

/** The number of spans that `trace` requests; boards read `traceColumns`. */
const SHOWN_SPANS = 20_000

interface LossesOptions {
  readonly stamp?: string
  readonly signal?: AbortSignal
}

export type CollectorClient = ReturnType<typeof queryClient>

/**
 * A client of the collector. @throws CollectorError on every refusal, and without an answer.
 * @param base the URL prefix of the collector's routes: `/collector` in the browser, `http://127.0.0.1:8969` elsewhere.
 * @param shapes parses every answer; with `null` only its frame and the version of the wire are checked.
 */
export function queryClient(base: string, fetchLike: typeof fetch, headers: HeadersInit, shapes: Shapes | null) {
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
  const answerOf = async <Shape>(response: Response, shape: ShapeOf<Shape>): Promise<Shape> =>
    shapes === null ? trustedAnswer(response) : shape(shapes).parse(await response.json())
  const read = async <Shape>(path: string, shape: ShapeOf<Shape>, signal?: AbortSignal): Promise<Shape> =>
    answerOf(await ask(path, signal === undefined ? {} : { signal }), shape)
  /** `null` when the collector answers with this status. */
  const readUnless = async <Shape>(
    status: number,
    ...[path, shape, signal]: Parameters<typeof read<Shape>>
  ): Promise<Shape | null> => unless(status, () => read(path, shape, signal))
  const post = (path: string, body: object, signal?: AbortSignal): Promise<Response> =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal !== undefined && { signal }),
    })
  const order = async <Shape>(path: string, body: object, shape: ShapeOf<Shape>, signal?: AbortSignal) =>
    answerOf(await post(path, body, signal), shape)
  const list =
    <List extends FilteredList, Shape>(name: List, shape: ShapeOf<Shape>) =>
    (options?: PageOptions<List>): Promise<Shape> =>
      read(`/query/${name}${pageQuery(options)}`, shape, options?.signal)
  return {
    overview: (signal?: AbortSignal) => read('/query/overview', (of) => of.overviewSchema, signal),
    traces: list('traces', (of) => of.tracesPageSchema),
    trace: (traceId: string, signal?: AbortSignal) =>
      readUnless(
        404,
        `/query/traces/${encodeURIComponent(traceId)}?spans=${SHOWN_SPANS}`,
        (of) => of.traceDetailSchema,
        signal,
      ),
    /**
     * A trace in pieces: first the rows about it, then its spans, up to 5,000 at once, and what is missing at last. No
     * piece when the trace is not stored. @throws CollectorError on a refusal; an Error when the answer ends early
     */
    traceColumns: async function* (
      traceId: string,
      { after, segment }: TraceColumnsOptions = {},
      signal?: AbortSignal,
    ): AsyncGenerator<TracePiece, void, void> {
      const path = `/query/traces/${encodeURIComponent(traceId)}/columns${columnsQuery({ after, segment })}`
      const response = await unless(404, () => ask(path, signal === undefined ? {} : { signal }))
      if (response === null) return
      checkVersion(response)
      if (response.body === null) throw new Error('the answer about the trace has no body')
      yield* readTracePieces(response.body, nextTurn)
    },
    segments: list('segments', (of) => of.segmentsPageSchema),
    segment: (traceId: string, segmentId: string, signal?: AbortSignal) =>
      readUnless(404, `/query/segments/${traceId}/${segmentId}`, (of) => of.segmentDetailSchema, signal),
    /** The durations with which a segment is compared; `null` when it is not stored. */
    usual: (traceId: string, segmentId: string, signal?: AbortSignal) =>
      readUnless(404, `/query/segments/${traceId}/${segmentId}/usual`, (of) => of.usualDurationsSchema, signal),
    spans: list('spans', (of) => of.spansPageSchema),
    span: (traceId: string, spanId: string, signal?: AbortSignal) =>
      readUnless(404, `/query/spans/${traceId}/${spanId}`, (of) => of.spanDetailSchema, signal),
    events: list('events', (of) => of.eventsPageSchema),
    event: (eventId: string, signal?: AbortSignal) =>
      readUnless(404, `/query/events/${encodeURIComponent(eventId)}`, (of) => of.eventDetailSchema, signal),
    envelopes: list('envelopes', (of) => of.envelopesPageSchema),
    envelope: (seq: number, signal?: AbortSignal) =>
      readUnless(404, `/query/envelopes/${seq}`, (of) => of.envelopeDetailSchema, signal),
    deliveries: list('deliveries', (of) => of.deliveriesPageSchema),
    breadcrumbs: list('breadcrumbs', (of) => of.breadcrumbsPageSchema),
    outcomes: list('outcomes', (of) => of.outcomesPageSchema),
    /** The outcomes of one envelope; `null` when it is not stored. */
    outcomesOf: (seq: number, signal?: AbortSignal) =>
      readUnless(404, `/query/outcomes/${seq}`, (of) => of.envelopeOutcomesSchema, signal),
    limits: (signal?: AbortSignal) => read('/query/limits', (of) => of.limitsNowSchema, signal),
    /** Created, accepted and lost telemetry: all of it, or that of one stamp. */
    losses: ({ stamp, signal }: LossesOptions = {}) =>
      read(`/query/losses${pageQuery({}, stamp === undefined ? {} : { stamp })}`, (of) => of.lossesSchema, signal),
    /** Each setting of the runtime contract, with its verdict on the recorded telemetry. */
    contract: (options?: ContractOptions) =>
      read(`/query/contract${contractQuery(options)}`, (of) => of.contractSchema, options?.signal),
    /** Whether a trace contains the spans of a pattern; answers as soon as one does. */
    expectSpans: (options: SpanExpectationOptions) =>
      read(`/query/expect${spanExpectationQuery(options)}`, (of) => of.spanExpectationSchema, options.signal),
    /** Groups of errors, by last arrival or by number of events. */
    errors: ({ sort, ...options }: PageOptions<'errors'> & { readonly sort?: 'last' | 'count' } = {}) =>
      read(
        `/query/errors${pageQuery(options, sort === undefined ? {} : { sort })}`,
        (of) => of.errorGroupsPageSchema,
        options.signal,
      ),
    errorGroup: (hash: string, signal?: AbortSignal) =>
      readUnless(404, `/query/errors/${encodeURIComponent(hash)}`, (of) => of.errorGroupDetailSchema, signal),
    /** Mutes a group of errors or writes its note. */
    markErrorGroup: (given: GroupMarkOrder, signal?: AbortSignal) =>
      order('/control/errors', given, (of) => of.groupMarkSchema, signal),
    /** The frames of an event, mapped through the source maps on the collector's disk. */
    mappedFrames: (eventId: string, signal?: AbortSignal) =>
      readUnless(404, `/query/events/${encodeURIComponent(eventId)}/frames`, (of) => of.mappedFramesSchema, signal),
    /** The distinct top frames of the newest events of a group. */
    groupFrames: (hash: string, signal?: AbortSignal) =>
      readUnless(404, `/query/errors/${encodeURIComponent(hash)}/frames`, (of) => of.groupFramesSchema, signal),
    deadLetters: (options?: Omit<PageOptions<FilteredList>, 'filter'>) =>
      read(`/query/dead-letters${pageQuery(options)}`, (of) => of.deadLettersPageSchema, options?.signal),
    /** Sends dead letters again, or drops them. Returns how many, and those that a rate limit keeps back. */
    orderDeadLetters: (given: DeadLetterOrder, signal?: AbortSignal) =>
      order('/control/dead-letters', given, (of) => of.deadLettersDoneSchema, signal),
    rawUrl: (seq: number) => `${base}/query/envelopes/${seq}?raw`,
    signals: (kind: SignalRow['kind'], options?: PageOptions<'signals'>) =>
      read(`/query/signals${pageQuery(options, { kind })}`, (of) => of.signalsPageSchema, options?.signal),
    signal: (kind: SignalRow['kind'], key: string, signal?: AbortSignal) =>
      readUnless(404, `/query/signals/${kind}/${encodeURIComponent(key)}`, (of) => of.signalDetailSchema, signal),
    signalCounts: (signal?: AbortSignal) => read('/query/signals/counts', (of) => of.signalCountsSchema, signal),
    /** In order of time; as many as fit into one answer. */
    signalsOfTrace: (trace: string, signal?: AbortSignal) =>
      read(`/query/signals${pageQuery({}, { trace })}`, (of) => of.signalsPageSchema, signal),
    /** The first stored fact at or after a journal number; `null` when there is none. */
    fact: async (from: number, signal?: AbortSignal): Promise<JournalFact | null> => {
      const page = await read(
        `/query/journal?after=${Math.max(0, from - 1)}&limit=1`,
        (of) => of.journalPageSchema,
        signal,
      )
      return page.facts[0] ?? null
    },
    /** The stored facts after a journal number, up to 1000. @param wait seconds to wait for the first, at most 60 */
    facts: (after: number, wait: number, signal?: AbortSignal) =>
      read(`/query/journal?after=${after}&wait=${wait}`, (of) => of.journalPageSchema, signal),
    /** Submissions with their bytes, oldest first, as soon as they are on disk. */
    recorded: (options?: RecordedOptions) =>
      read(`/query/recorded${recordedQuery(options)}`, (of) => of.recordedPageSchema, options?.signal),
    /** Whether intake accepts this key and project. */
    admission: (of: { readonly key: string; readonly project: string }, signal?: AbortSignal) =>
      read(`/query/admission?${new URLSearchParams({ ...of })}`, (of) => of.admissionSchema, signal),
    /** The figures of the navigation; with `minutes`, also the counts of each minute of the last hour. */
    figures: (minutes = false, signal?: AbortSignal) =>
      read(`/query/figures${minutes ? '?minutes=60' : ''}`, (of) => of.figuresSchema, signal),
    /** The values of a key in the newest 1,000 rows of a list, with their counts. @param kind of signals */
    values: (
      of: { readonly list: string; readonly key: string; readonly kind?: string; readonly own?: string },
      signal?: AbortSignal,
    ) => read(`/query/values?${new URLSearchParams({ ...of })}`, (all) => all.valueCountsSchema, signal),
    /** The visits of pages in the last hour. @param limit the number of visits that are described, at most 1,000 */
    visits: (limit: number, signal?: AbortSignal) =>
      read(`/query/visits?limit=${limit}`, (of) => of.visitsSchema, signal),
    /** One visit with its pages; `null` when the last hour has no such visit. */
    visit: (id: string, signal?: AbortSignal) =>
      readUnless(404, `/query/visits/${encodeURIComponent(id)}`, (of) => of.visitDetailSchema, signal),
    /** The slowest operations of the last hour, and its page loads. */
    slow: (signal?: AbortSignal) => read('/query/slow', (of) => of.slowSchema, signal),
    /** The programs that sent something in the last hour. */
    programs: (signal?: AbortSignal) => read('/query/programs', (of) => of.programsSchema, signal),
    /** The marks of moments, oldest first. */
    marks: (signal?: AbortSignal) => read('/query/marks', (of) => of.marksSchema, signal),
    /** Names this moment, or deletes a mark. */
    orderMark: (given: MarkOrder, signal?: AbortSignal) =>
      order('/control/marks', given, (of) => of.markDoneSchema, signal),
    storage: (signal?: AbortSignal) => read('/query/storage', (of) => of.storageSchema, signal),
    status: (signal?: AbortSignal) => read('/query/status', (of) => of.statusSchema, signal),
    /** Deletes records without pending deliveries; with `pending` also the others, whose outcome is then `dropped`. */
    clear: async (options: { readonly pending: boolean }) => void (await post('/control/clear', options)),
    /** Requests a flush of every server that follows the collector (`waystation/server`), and waits for it up to 2 s. */
    flushServices: (signal?: AbortSignal) => order('/control/flush', {}, (of) => of.flushedSchema, signal),
    services: async (signal?: AbortSignal): Promise<readonly Service[]> =>
      (await read('/control/services', (of) => of.servicesSchema, signal)).services,
    /** Starts a rebuild of all rows, unless one is running. It may have ended when this resolves. */
    redigest: (signal?: AbortSignal) => order('/control/redigest', {}, (of) => of.redigestSchema, signal),
    redigestState: (signal?: AbortSignal) => read('/control/redigest', (of) => of.redigestSchema, signal),
    /** The runs that `waystation run` keeps in the data folder, newest first. */
    runs: (signal?: AbortSignal) => read('/query/runs', (of) => of.keptRunsSchema, signal),
    /** Pins, names, deletes, opens or closes one of them; returns the new list. */
    orderRun: (given: RunOrder) => order('/control/runs', given, (of) => of.keptRunsSchema),
    streamUrl: `${base}/query/stream`,
    /** The stand-in's script and the posts it received; `null` without a stand-in. */
    standIn: (signal?: AbortSignal): Promise<StandInState | null> =>
      readUnless(409, '/control/upstream', (of) => of.standInStateSchema, signal),
    /** Replaces the script; an empty one answers 200 to everything. Returns the new script. */
    play: (script: GivenScript, signal?: AbortSignal) =>
      order('/control/upstream', script, (of) => of.playedScriptSchema, signal),
    receivedUrl: (n: number) => `${base}/control/upstream/received/${n}`,
    /** Tries backing-off and paused upstreams now. Returns their number. */
    tryNow: async (signal?: AbortSignal) => (await order('/control/probe', {}, (of) => of.probedSchema, signal)).probed,
    /** Allows or forbids that lab telemetry leaves this machine. Returns the new setting. */
    setLabRelay: async (relay: boolean) => {
      await post('/control/lab', { relay })
      return relay
    },
  }
}

async function unless<Value>(status: number, request: () => Promise<Value>): Promise<Value | null> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof CollectorError && error.status === status) return null
    throw error
  }
}

function checkVersion(response: Response): void {
  const version = response.headers.get(WIRE_HEADER)
  if (version !== WIRE_VERSION)
    throw new Error(`the answer has ${WIRE_HEADER} ${version ?? 'missing'}, this page reads ${WIRE_VERSION}`)
}

/** An answer of the collector of this build, whose shape its tests check. */
async function trustedAnswer<Shape>(response: Response): Promise<Shape> {
  checkVersion(response)
  const answer: unknown = await response.json()
  if (!isObject(answer)) throw new Error('the answer is no JSON object')
  return answer as Shape
}
