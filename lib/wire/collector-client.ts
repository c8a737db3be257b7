import type * as z from 'zod'
import { type Contract, type ContractOptions, contractQuery, contractSchema } from './contract'
import {
  type DeadLetterOrder,
  type DeadLettersDone,
  type DeadLettersPage,
  type DeliveriesPage,
  deadLettersDoneSchema,
  deadLettersPageSchema,
  deliveriesPageSchema,
} from './delivery'
import { type EnvelopeOutcomes, envelopeOutcomesSchema, type OutcomesPage, outcomesPageSchema } from './delivery-status'
import { type EnvelopeDetail, type EnvelopesPage, envelopeDetailSchema, envelopesPageSchema } from './envelope'
import { CollectorError, readRefusal } from './errors'
import {
  type BreadcrumbsPage,
  breadcrumbsPageSchema,
  type EventDetail,
  type EventsPage,
  eventDetailSchema,
  eventsPageSchema,
} from './event'
import { type FilteredList, type FilterOf, writeFilter } from './filter'
import {
  type JournalFact,
  type JournalPage,
  journalFactSchema,
  journalPageSchema,
  type RecordedOptions,
  type RecordedPage,
  recordedPageSchema,
  recordedQuery,
} from './journal'
import { type LimitsNow, limitsNowSchema } from './limits'
import { type Losses, lossesSchema } from './losses'
import {
  type Admission,
  admissionSchema,
  type Overview,
  overviewSchema,
  probedSchema,
  type Status,
  statusSchema,
} from './overview'
import { type KeptRuns, keptRunsSchema, type RunOrder } from './run'
import { type Flushed, flushedSchema, type Service, servicesSchema } from './services'
import {
  type SignalCounts,
  type SignalDetail,
  type SignalRow,
  type SignalsPage,
  signalCountsSchema,
  signalDetailSchema,
  signalsPageSchema,
} from './signal'
import {
  type SpanExpectation,
  type SpanExpectationOptions,
  spanExpectationQuery,
  spanExpectationSchema,
} from './span-expectation'
import {
  type GivenScript,
  type PlayedScript,
  playedScriptSchema,
  type StandInState,
  standInStateSchema,
} from './stand-in'
import { type Redigest, redigestSchema, type Storage, storageSchema } from './storage'
import {
  type SegmentDetail,
  type SegmentsPage,
  SHOWN_SPANS,
  type SpanDetail,
  type SpansPage,
  segmentDetailSchema,
  segmentsPageSchema,
  spanDetailSchema,
  spansPageSchema,
  type TraceDetail,
  type TracesPage,
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

const control = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const withSignal = (signal?: AbortSignal): RequestInit => (signal === undefined ? {} : { signal })

export { CollectorError }

interface LossesOptions {
  readonly stamp?: string
  readonly signal?: AbortSignal
}

export interface CollectorClient {
  readonly overview: (signal?: AbortSignal) => Promise<Overview>
  readonly traces: (options?: PageOptions<'traces'>) => Promise<TracesPage>
  readonly trace: (traceId: string, signal?: AbortSignal) => Promise<TraceDetail | null>
  /** A page may have fewer rows than requested and still have a `next`. */
  readonly segments: (options?: PageOptions<'segments'>) => Promise<SegmentsPage>
  readonly segment: (traceId: string, segmentId: string, signal?: AbortSignal) => Promise<SegmentDetail | null>
  readonly spans: (options?: PageOptions<'spans'>) => Promise<SpansPage>
  readonly span: (traceId: string, spanId: string, signal?: AbortSignal) => Promise<SpanDetail | null>
  readonly events: (options?: PageOptions<'events'>) => Promise<EventsPage>
  readonly event: (eventId: string, signal?: AbortSignal) => Promise<EventDetail | null>
  readonly envelopes: (options?: PageOptions<'envelopes'>) => Promise<EnvelopesPage>
  readonly envelope: (seq: number, signal?: AbortSignal) => Promise<EnvelopeDetail | null>
  readonly deliveries: (options?: PageOptions<'deliveries'>) => Promise<DeliveriesPage>
  readonly breadcrumbs: (options?: PageOptions<'breadcrumbs'>) => Promise<BreadcrumbsPage>
  readonly outcomes: (options?: PageOptions<'outcomes'>) => Promise<OutcomesPage>
  /** The outcomes of one envelope; `null` when it is not stored. */
  readonly outcomesOf: (seq: number, signal?: AbortSignal) => Promise<EnvelopeOutcomes | null>
  readonly limits: (signal?: AbortSignal) => Promise<LimitsNow>
  /** Created, accepted and lost telemetry: all of it, or that of one stamp. */
  readonly losses: (options?: LossesOptions) => Promise<Losses>
  /** Each setting of the runtime contract, with its verdict on the recorded telemetry. */
  readonly contract: (options?: ContractOptions) => Promise<Contract>
  /** Whether a trace contains the spans of a pattern; answers as soon as one does. */
  readonly expectSpans: (options: SpanExpectationOptions) => Promise<SpanExpectation>
  readonly deadLetters: (options?: Omit<PageOptions<FilteredList>, 'filter'>) => Promise<DeadLettersPage>
  /** Sends dead letters again, or drops them. Returns how many, and those that a rate limit keeps back. */
  readonly orderDeadLetters: (order: DeadLetterOrder, signal?: AbortSignal) => Promise<DeadLettersDone>
  readonly rawUrl: (seq: number) => string
  readonly signals: (kind: SignalRow['kind'], options?: PageOptions<'signals'>) => Promise<SignalsPage>
  readonly signal: (kind: SignalRow['kind'], key: string, signal?: AbortSignal) => Promise<SignalDetail | null>
  readonly signalCounts: (signal?: AbortSignal) => Promise<SignalCounts>
  /** In order of time; as many as fit into one answer. */
  readonly signalsOfTrace: (traceId: string, signal?: AbortSignal) => Promise<SignalsPage>
  /** The first stored fact at or after a journal number; `null` when there is none. */
  readonly fact: (from: number, signal?: AbortSignal) => Promise<JournalFact | null>
  /** The stored facts after a journal number, up to 1000. @param wait seconds to wait for the first, at most 60 */
  readonly facts: (after: number, wait: number, signal?: AbortSignal) => Promise<JournalPage>
  /** Submissions with their bytes, oldest first, as soon as they are on disk. */
  readonly recorded: (options?: RecordedOptions) => Promise<RecordedPage>
  readonly storage: (signal?: AbortSignal) => Promise<Storage>
  /** Whether intake accepts this key and project. */
  readonly admission: (
    of: { readonly key: string; readonly project: string },
    signal?: AbortSignal,
  ) => Promise<Admission>
  readonly status: (signal?: AbortSignal) => Promise<Status>
  /** Deletes records without pending deliveries; with `pending` also the others, whose outcome is then `dropped`. */
  readonly clear: (options: { readonly pending: boolean }) => Promise<void>
  /** Requests a flush of every server that follows the collector (`waystation/server`), and waits for it up to 2 s. */
  readonly flushServices: (signal?: AbortSignal) => Promise<Flushed>
  readonly services: (signal?: AbortSignal) => Promise<readonly Service[]>
  /** Starts a rebuild of all rows, unless one is running. It may have ended when this resolves. */
  readonly redigest: (signal?: AbortSignal) => Promise<Redigest>
  readonly redigestState: (signal?: AbortSignal) => Promise<Redigest>
  /** The runs that `waystation run` keeps in the data folder, newest first. */
  readonly runs: (signal?: AbortSignal) => Promise<KeptRuns>
  /** Pins, names, deletes, opens or closes one of them; returns the new list. */
  readonly orderRun: (order: RunOrder) => Promise<KeptRuns>
  readonly streamUrl: string
  /** The stand-in's script and the posts it received; `null` without a stand-in. */
  readonly standIn: (signal?: AbortSignal) => Promise<StandInState | null>
  /** Replaces the script; an empty one answers 200 to everything. Returns the new script. */
  readonly play: (script: GivenScript, signal?: AbortSignal) => Promise<PlayedScript>
  readonly receivedUrl: (n: number) => string
  /** Tries backing-off and paused upstreams now. Returns their number. */
  readonly tryNow: (signal?: AbortSignal) => Promise<number>
  /** Allows or forbids that lab telemetry leaves this machine. Returns the new setting. */
  readonly setLabRelay: (relay: boolean) => Promise<boolean>
}

/**
 * A client of the collector that parses every answer. @throws CollectorError on every refusal, and without an answer.
 * @param base the URL prefix of the collector's routes: `/collector` in the browser, `http://127.0.0.1:8969` elsewhere.
 */
export function collectorClient(base: string, fetchLike: typeof fetch, headers: HeadersInit = {}): CollectorClient {
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    try {
      return await fetchLike(`${base}${path}`, { cache: 'no-store', ...init, headers: { ...headers, ...init.headers } })
    } catch (cause) {
      if (cause instanceof Error && cause.name === 'AbortError') throw cause
      throw new CollectorError(null, 'the collector cannot be reached', { cause })
    }
  }
  const read = async <Shape>(path: string, shape: z.ZodType<Shape>, init: RequestInit): Promise<Shape> => {
    const response = await ask(path, init)
    if (!response.ok) throw await readRefusal(response)
    return shape.parse(await response.json())
  }
  const change = async (path: string, body: object): Promise<void> => {
    const response = await ask(path, control(body))
    if (!response.ok) throw await readRefusal(response)
  }
  const readOne = async <Shape>(path: string, shape: z.ZodType<Shape>, signal?: AbortSignal): Promise<Shape | null> => {
    try {
      return await read(path, shape, withSignal(signal))
    } catch (error) {
      if (error instanceof CollectorError && error.status === 404) return null
      throw error
    }
  }
  return {
    overview: (signal) => read('/query/overview', overviewSchema, withSignal(signal)),
    traces: (options) => read(`/query/traces${pageQuery(options)}`, tracesPageSchema, withSignal(options?.signal)),
    trace: (id, signal) =>
      readOne(`/query/traces/${encodeURIComponent(id)}?spans=${SHOWN_SPANS}`, traceDetailSchema, signal),
    segments: (options) =>
      read(`/query/segments${pageQuery(options)}`, segmentsPageSchema, withSignal(options?.signal)),
    segment: (traceId, segmentId, signal) =>
      readOne(`/query/segments/${traceId}/${segmentId}`, segmentDetailSchema, signal),
    spans: (options) => read(`/query/spans${pageQuery(options)}`, spansPageSchema, withSignal(options?.signal)),
    span: (traceId, spanId, signal) => readOne(`/query/spans/${traceId}/${spanId}`, spanDetailSchema, signal),
    events: (options) => read(`/query/events${pageQuery(options)}`, eventsPageSchema, withSignal(options?.signal)),
    event: (id, signal) => readOne(`/query/events/${encodeURIComponent(id)}`, eventDetailSchema, signal),
    envelopes: (options) =>
      read(`/query/envelopes${pageQuery(options)}`, envelopesPageSchema, withSignal(options?.signal)),
    envelope: (seq, signal) => readOne(`/query/envelopes/${seq}`, envelopeDetailSchema, signal),
    deliveries: (options) =>
      read(`/query/deliveries${pageQuery(options)}`, deliveriesPageSchema, withSignal(options?.signal)),
    breadcrumbs: (options) =>
      read(`/query/breadcrumbs${pageQuery(options)}`, breadcrumbsPageSchema, withSignal(options?.signal)),
    outcomes: (options) =>
      read(`/query/outcomes${pageQuery(options)}`, outcomesPageSchema, withSignal(options?.signal)),
    outcomesOf: (seq, signal) => readOne(`/query/outcomes/${seq}`, envelopeOutcomesSchema, signal),
    limits: (signal) => read('/query/limits', limitsNowSchema, withSignal(signal)),
    losses: ({ stamp, signal } = {}) =>
      read(`/query/losses${pageQuery({}, stamp === undefined ? {} : { stamp })}`, lossesSchema, withSignal(signal)),
    contract: (options) =>
      read(`/query/contract${contractQuery(options)}`, contractSchema, withSignal(options?.signal)),
    expectSpans: (options) =>
      read(`/query/expect${spanExpectationQuery(options)}`, spanExpectationSchema, withSignal(options.signal)),
    deadLetters: (options) =>
      read(`/query/dead-letters${pageQuery(options)}`, deadLettersPageSchema, withSignal(options?.signal)),
    orderDeadLetters: (order, signal) =>
      read('/control/dead-letters', deadLettersDoneSchema, { ...control(order), ...withSignal(signal) }),
    signals: (kind, options) =>
      read(`/query/signals${pageQuery(options, { kind })}`, signalsPageSchema, withSignal(options?.signal)),
    signal: (kind, key, signal) =>
      readOne(`/query/signals/${kind}/${encodeURIComponent(key)}`, signalDetailSchema, signal),
    signalCounts: (signal) => read('/query/signals/counts', signalCountsSchema, withSignal(signal)),
    signalsOfTrace: (trace, signal) =>
      read(`/query/signals${pageQuery({}, { trace })}`, signalsPageSchema, withSignal(signal)),
    fact: async (from, signal) => {
      const after = Math.max(0, from - 1)
      const page = await read(`/query/journal?after=${after}&limit=1`, journalPageSchema, withSignal(signal))
      return page.facts[0] ?? null
    },
    facts: (after, wait, signal) =>
      read(`/query/journal?after=${after}&wait=${wait}`, journalPageSchema, withSignal(signal)),
    recorded: (options) =>
      read(`/query/recorded${recordedQuery(options)}`, recordedPageSchema, withSignal(options?.signal)),
    admission: (of, signal) =>
      read(`/query/admission?${new URLSearchParams({ ...of })}`, admissionSchema, withSignal(signal)),
    storage: (signal) => read('/query/storage', storageSchema, withSignal(signal)),
    status: (signal) => read('/query/status', statusSchema, withSignal(signal)),
    clear: (options) => change('/control/clear', options),
    flushServices: (signal) => read('/control/flush', flushedSchema, { ...control({}), ...withSignal(signal) }),
    services: async (signal) => (await read('/control/services', servicesSchema, withSignal(signal))).services,
    redigest: (signal) => read('/control/redigest', redigestSchema, { ...control({}), ...withSignal(signal) }),
    redigestState: (signal) => read('/control/redigest', redigestSchema, withSignal(signal)),
    runs: (signal) => read('/query/runs', keptRunsSchema, withSignal(signal)),
    orderRun: (order) => read('/control/runs', keptRunsSchema, control(order)),
    rawUrl: (seq) => `${base}/query/envelopes/${seq}?raw`,
    streamUrl: `${base}/query/stream`,
    standIn: async (signal) => {
      try {
        return await read('/control/upstream', standInStateSchema, withSignal(signal))
      } catch (error) {
        if (error instanceof CollectorError && error.status === 409) return null
        throw error
      }
    },
    play: (script, signal) =>
      read('/control/upstream', playedScriptSchema, { ...control(script), ...withSignal(signal) }),
    receivedUrl: (n) => `${base}/control/upstream/received/${n}`,
    tryNow: async (signal) =>
      (await read('/control/probe', probedSchema, { ...control({}), ...withSignal(signal) })).probed,
    setLabRelay: async (relay) => {
      await change('/control/lab', { relay })
      return relay
    },
  }
}

/** One message of the live stream; `null` when it is not a journal fact. */
export function parseJournalMessage(data: string): JournalFact | null {
  const parsed = journalFactSchema.safeParse(JSON.parse(data))
  return parsed.success ? parsed.data : null
}
