import { type Context, Hono } from 'hono'
import { hintAt } from '../../lib/config/nearest'
import { SIGNAL_KINDS, type SignalKind } from '../../lib/protocol/items/signal'
import { hex32 } from '../../lib/protocol/json'
import { LIST_FILTERS } from '../../lib/wire/filter'
import type { Reader } from '../index/reader'
import { wrong } from './query-answers'
import { wantedOf } from './query-filters'
import { onlyKnown, pageRequest } from './query-parameters'
import { problem } from './refusal'

export type SignalReader = Pick<Reader, 'signals' | 'signal' | 'signalsOfTrace' | 'signalCounts'>

/** Each kind under a word of its own, as the lists of traces and events are. */
const SIGNAL_LISTS: Readonly<Record<SignalKind, string>> = {
  log: 'logs',
  metric: 'metrics',
  session: 'sessions',
  client_report: 'client-reports',
  attachment: 'attachments',
  feedback: 'feedback',
  replay: 'replays',
  profile: 'profiles',
  check_in: 'check-ins',
  security: 'security',
}

/** Logs, metrics, sessions and the like: lists of a kind, those of a trace, one by its key, and how many there are. */
export function signalRoutes(reader: SignalReader, now: () => number): Hono {
  const routes = new Hono()

  routes.get('/signals', async (c) => {
    const trace = c.req.query('trace')
    if (trace === undefined) return listOf(c, reader, c.req.query('kind') ?? '', now(), ['kind', 'trace'])
    const known = onlyKnown(c, [...LIST_FILTERS.signals, 'kind', 'trace', 'cursor', 'limit'])
    if (!known.ok) return wrong(c, known.error)
    const beside = Object.keys(c.req.query()).find((name) => name !== 'trace')
    if (beside !== undefined)
      return wrong(c, `${beside}: the signals of a trace come whole; meant is either trace or kind`)
    const id = hex32(trace)
    if (id === null) return wrong(c, `trace=${trace.slice(0, 40)}: meant is a trace id, 32 hex digits`)
    return c.json(await reader.signalsOfTrace(id))
  })
  routes.get('/signals/counts', async (c) => {
    const known = onlyKnown(c, [])
    return known.ok ? c.json(await reader.signalCounts()) : wrong(c, known.error)
  })
  // Keys are the sender's words, and may hold slashes.
  routes.get('/signals/:kind/:key{.+}', async (c) => {
    const known = onlyKnown(c, [])
    if (!known.ok) return wrong(c, known.error)
    const kind = kindOf(c.req.param('kind'))
    if (kind === null) return wrong(c, noKind(c.req.param('kind')))
    const key = c.req.param('key')
    const found = await reader.signal(kind, key)
    if (found !== null) return c.json(found)
    const detail = `no ${kind} ${key.slice(0, 40)} is kept here; it may still be on its way, or have gone to make room`
    return problem(c, { status: 404, detail })
  })
  for (const kind of SIGNAL_KINDS) routes.get(`/${SIGNAL_LISTS[kind]}`, (c) => listOf(c, reader, kind, now()))
  return routes
}

/** @param beside parameters that the route reads itself. */
async function listOf(
  c: Context,
  reader: SignalReader,
  given: string,
  nowMs: number,
  beside: readonly string[] = [],
): Promise<Response> {
  const wanted = wantedOf(c, 'signals', nowMs, [...beside, 'cursor', 'limit'])
  if (!wanted.ok) return wrong(c, wanted.error)
  const kind = kindOf(given)
  if (kind === null) return wrong(c, noKind(given))
  const asked = pageRequest(c)
  if (!asked.ok) return wrong(c, asked.error)
  return c.json(await reader.signals(kind, wanted.value, asked.value.place, asked.value.page))
}

const kindOf = (given: string): SignalKind | null => SIGNAL_KINDS.find((kind) => kind === given) ?? null

const noKind = (given: string): string =>
  given === ''
    ? `kind: meant is one of ${SIGNAL_KINDS.join(', ')}`
    : `${JSON.stringify(given.slice(0, 40))} is no kind of signal; ${hintAt(given.slice(0, 40), SIGNAL_KINDS)}`
