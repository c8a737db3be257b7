import { type Context, Hono } from 'hono'
import { acceptsProject, type Environment } from '../../../lib/config/environment'
import { isPublicKey } from '../../../lib/protocol/dsn'
import { hex16, hex32 } from '../../../lib/protocol/ids'
import type { Contract } from '../../../lib/wire/contract'
import { COUNTED_MINUTES, type Figures } from '../../../lib/wire/figures'
import type { Losses } from '../../../lib/wire/losses'
import type { Admission, Overview, Status } from '../../../lib/wire/overview'
import type { TelemetryIndex } from '../../index/index'
import { problem } from '../../runtime/problem'
import type { Spool } from '../../spool/spool'
import type { RunsDeps } from '../control'
import type { MomentMarks } from '../marks'
import { answerExpectation, type ExpectDeps } from './expect'
import { answerList, type ListDeps, listRoutes } from './lists'
import {
  answerPlain,
  badRequest,
  checkParameters,
  integerParameter,
  invalidId,
  invalidValue,
  notFound,
  pageParameters,
  stampParameter,
} from './parameters'
import { signalRoutes } from './signals'
import { visitRoutes } from './visits'
import { waitRoutes } from './waits'

export interface QueryDeps extends ListDeps, ExpectDeps {
  readonly environment: Environment
  readonly index: TelemetryIndex
  readonly record: Spool
  readonly overview: () => Promise<Overview>
  readonly status: () => Promise<Status>
  /** @param withMinutes with the counts of each minute */
  readonly figures: (withMinutes: boolean) => Promise<Figures>
  readonly runs: RunsDeps
  readonly marks: MomentMarks
  /** Checks the recorded telemetry against the runtime contract. */
  readonly contract: (window: { readonly stamp: string | null; readonly after: number }) => Promise<Contract>
}

/** `/query`: everything recorded, as JSON. Lists come newest first with filters and cursors, single rows by id. */
export function queryRoutes(deps: QueryDeps): Hono {
  const { index, record, now } = deps
  const routes = new Hono()
  routes.get('/overview', (c) => answerPlain(c, deps.overview))
  routes.get('/status', (c) => answerPlain(c, deps.status))
  routes.get('/figures', (c) => answerFigures(c, deps))
  routes.get('/storage', (c) => answerPlain(c, async () => (await record.storage()).status))
  routes.get('/contract', (c) => answerContract(c, deps))
  routes.get('/expect', (c) => answerExpectation(c, deps))
  routes.get('/admission', (c) => answerAdmission(c, deps.environment))
  routes.get('/runs', (c) => answerPlain(c, deps.runs.list))
  routes.get('/marks', (c) => answerPlain(c, deps.marks.list))
  routes.get('/losses', (c) => answerLosses(c, deps))
  routes.get('/dead-letters', (c) => answerDeadLetters(c, record))
  routes.get('/traces', (c) =>
    answerList(c, 'traces', now(), index.traces, { leftOut: () => index.leftOut('traces', null) }),
  )
  routes.get('/traces/:id', (c) => answerTraceById(c, index))
  routes.get('/traces/:id/columns', (c) => answerTraceColumns(c, index))
  routes.get('/segments', (c) =>
    answerList(c, 'segments', now(), index.segments, { leftOut: () => index.leftOut('segments', null) }),
  )
  routes.get('/segments/:trace/:id', (c) => answerOfTrace(c, 'segment', index.segment))
  routes.get('/segments/:trace/:id/usual', (c) => answerOfTrace(c, 'segment', index.usual))
  routes.get('/spans', (c) => answerList(c, 'spans', now(), index.spans))
  routes.get('/spans/:trace/:id', (c) => answerOfTrace(c, 'span', index.span))
  routes.route('/', listRoutes(deps))
  routes.route('/', signalRoutes(index, now))
  routes.route(
    '/',
    visitRoutes(index, () => (deps.isShown ? null : now())),
  )
  routes.route('/', waitRoutes(deps, deps.hub))
  return routes
}

async function answerFigures(c: Context, { figures }: QueryDeps): Promise<Response> {
  const checked = checkParameters(c, ['minutes'])
  if (!checked.ok) return badRequest(c, checked.error)
  const minutes = c.req.query('minutes')
  if (minutes !== undefined && minutes !== String(COUNTED_MINUTES))
    return badRequest(c, invalidValue('minutes', minutes, `must be ${COUNTED_MINUTES}, the minutes that are counted`))
  return c.json(await figures(minutes !== undefined))
}

async function answerContract(c: Context, { contract }: QueryDeps): Promise<Response> {
  const checked = checkParameters(c, ['stamp', 'after'])
  if (!checked.ok) return badRequest(c, checked.error)
  const stamp = stampParameter(c)
  if (!stamp.ok) return badRequest(c, stamp.error)
  const after = integerParameter(c, 'after', { least: 0, most: Number.MAX_SAFE_INTEGER, fallback: 0 })
  if (!after.ok) return badRequest(c, after.error)
  return c.json(await contract({ stamp: stamp.value, after: after.value }))
}

export function answerAdmission(c: Context, environment: Environment): Response {
  const checked = checkParameters(c, ['key', 'project'])
  if (!checked.ok) return badRequest(c, checked.error)
  const publicKey = c.req.query('key') ?? ''
  const projectId = c.req.query('project') ?? ''
  if (!isPublicKey(publicKey))
    return badRequest(c, invalidValue('key', publicKey, 'must be the public key of a DSN (the part before @)'))
  if (!/^\d{1,20}$/.test(projectId))
    return badRequest(c, invalidValue('project', projectId, 'must be the numeric project id at the end of a DSN'))
  const answer: Admission = {
    admitted: acceptsProject(environment, { publicKey, projectId }),
    localOnly: environment.upstream === null && environment.furtherUpstreams.length === 0,
  }
  return c.json(answer)
}

async function answerLosses(c: Context, deps: QueryDeps): Promise<Response> {
  const checked = checkParameters(c, ['stamp'])
  if (!checked.ok) return badRequest(c, checked.error)
  const stamp = stampParameter(c)
  return stamp.ok ? c.json(await readLosses(deps, stamp.value)) : badRequest(c, stamp.error)
}

/** The account of the ledger, with the spans of the index. */
export async function readLosses(
  { record, index, now }: Pick<QueryDeps, 'record' | 'index' | 'now'>,
  stamp: string | null,
): Promise<Losses> {
  const [losses, innerSpans] = await Promise.all([record.losses(stamp, now()), index.innerSpans(stamp)])
  return { ...losses, innerSpans }
}

async function answerDeadLetters(c: Context, record: Pick<Spool, 'deadLetters'>): Promise<Response> {
  const checked = checkParameters(c, ['cursor', 'limit'])
  if (!checked.ok) return badRequest(c, checked.error)
  const paging = pageParameters(c)
  if (!paging.ok) return badRequest(c, paging.error)
  return c.json(await record.deadLetters(paging.value.position, paging.value.page))
}

async function answerOfTrace(
  c: Context,
  noun: 'segment' | 'span',
  read: (traceId: string, id: string) => Promise<object | null>,
): Promise<Response> {
  const checked = checkParameters(c, [])
  if (!checked.ok) return badRequest(c, checked.error)
  const trace = c.req.param('trace') ?? ''
  const given = c.req.param('id') ?? ''
  const [traceId, id] = [hex32(trace), hex16(given)]
  if (traceId === null) return badRequest(c, invalidId('trace', trace))
  if (id === null) return badRequest(c, invalidId(noun, given, 16))
  const found = await read(traceId, id)
  return found === null ? notFound(c, noun, id) : c.json(found)
}

async function answerTraceById(c: Context, reader: TraceReader): Promise<Response> {
  const checked = checkParameters(c, ['spans'])
  if (!checked.ok) return badRequest(c, checked.error)
  const most = integerParameter(c, 'spans', { least: 1, most: MAX_TRACE_SPANS, fallback: MAX_TRACE_SPANS })
  if (!most.ok) return badRequest(c, most.error)
  const given = c.req.param('id') ?? ''
  const id = hex32(given)
  if (id === null) return badRequest(c, invalidId('trace', given))
  return (await answerTrace(c, reader, id, most.value)) ?? notFound(c, 'trace', given)
}

const MAX_TRACE_SPANS = 100_000

async function answerTraceColumns(c: Context, reader: TelemetryIndex): Promise<Response> {
  const checked = checkParameters(c, ['after', 'segment'])
  if (!checked.ok) return badRequest(c, checked.error)
  const after = integerParameter(c, 'after', { least: 0, most: Number.MAX_SAFE_INTEGER, fallback: 0 })
  if (!after.ok) return badRequest(c, after.error)
  const segment = c.req.query('segment')
  const segmentId = segment === undefined ? null : hex16(segment)
  if (segment !== undefined && segmentId === null) return badRequest(c, invalidId('segment', segment, 16))
  const given = c.req.param('id') ?? ''
  const id = hex32(given)
  if (id === null) return badRequest(c, invalidId('trace', given))
  const first = await reader.openTraceColumns(id, { after: after.value, segmentId })
  return (await answerPieces(c, reader, first, 'application/x-ndjson')) ?? notFound(c, 'trace', given)
}

export type TraceReader = Pick<TelemetryIndex, 'openTrace' | 'nextOfTrace' | 'closeTrace'>
type PieceReader = Pick<TelemetryIndex, 'nextOfTrace' | 'closeTrace'>

/** In pieces, no faster than the client takes them. @returns `null` when the trace is not stored */
export async function answerTrace(
  c: Context,
  reader: TraceReader,
  traceId: string,
  maxSpans: number,
): Promise<Response | null> {
  return answerPieces(c, reader, await reader.openTrace(traceId, maxSpans), 'application/json')
}

async function answerPieces(
  c: Context,
  reader: PieceReader,
  first: Awaited<ReturnType<TraceReader['openTrace']>>,
  type: string,
): Promise<Response | null> {
  if (first === null) return null
  if (first === 'busy') return problem(c, { status: 503, detail: 'too many traces are being read; try again shortly' })
  c.header('Content-Type', type)
  if (first.reading === null) return c.body(first.bytes as Uint8Array<ArrayBuffer>)
  // The body of an answer to HEAD is never read.
  if (c.req.raw.method === 'HEAD') {
    await reader.closeTrace(first.reading)
    return c.body(null)
  }
  return c.body(streamTrace(first.bytes, first.reading, reader))
}

function streamTrace(first: Uint8Array, reading: number, reader: PieceReader): ReadableStream<Uint8Array> {
  let isCancelled = false
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(first),
    pull: async (controller) => {
      // The reader returns empty pieces while it sorts; `pull` must enqueue something, or it is not called again.
      for (let length = 0; length === 0 && !isCancelled; ) {
        const piece = await reader.nextOfTrace(reading)
        if (isCancelled) return
        length = piece.bytes.length
        if (length > 0) controller.enqueue(piece.bytes)
        if (piece.reading === null) return controller.close()
      }
    },
    cancel: () => {
      isCancelled = true
      return reader.closeTrace(reading)
    },
  })
}
