import { type Context, Hono } from 'hono'
import { nameHint, similarName } from '../../../lib/config/nearest'
import { hex32 } from '../../../lib/protocol/ids'
import { SIGNAL_KINDS, type SignalKind } from '../../../lib/protocol/items/signal'
import { LIST_FILTERS } from '../../../lib/wire/filter'
import type { TelemetryIndex } from '../../index/index'
import { readFilter } from './filters'
import { withHidden } from './lists'
import {
  answerPlain,
  badRequest,
  checkParameters,
  conflict,
  invalidValue,
  notFound,
  type ParameterError,
  pageParameters,
  shorten,
} from './parameters'

export type SignalReader = Pick<TelemetryIndex, 'signals' | 'signal' | 'signalsOfTrace' | 'signalCounts' | 'leftOut'>

/** The route of each kind's list. */
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

export function signalRoutes(reader: SignalReader, now: () => number): Hono {
  const routes = new Hono()

  routes.get('/signals', async (c) => {
    const trace = c.req.query('trace')
    if (trace === undefined) return answerKind(c, reader, c.req.query('kind') ?? '', now(), ['kind', 'trace'])
    const checked = checkParameters(c, [...LIST_FILTERS.signals, 'kind', 'trace', 'cursor', 'limit'])
    if (!checked.ok) return badRequest(c, checked.error)
    const extra = Object.keys(c.req.query()).find((name) => name !== 'trace')
    if (extra !== undefined)
      return badRequest(c, conflict(c, extra, 'trace', 'the signals of a trace come in one answer'))
    const id = hex32(trace)
    if (id === null) return badRequest(c, invalidValue('trace', trace, 'must be a trace id of 32 hex digits'))
    return c.json(await reader.signalsOfTrace(id))
  })
  routes.get('/signals/counts', (c) => answerPlain(c, reader.signalCounts))
  // Senders choose keys; they may contain slashes.
  routes.get('/signals/:kind/:key{.+}', async (c) => {
    const checked = checkParameters(c, [])
    if (!checked.ok) return badRequest(c, checked.error)
    const kind = kindOf(c.req.param('kind'))
    if (kind === null) return badRequest(c, invalidKind(c.req.param('kind')))
    const key = c.req.param('key')
    const found = await reader.signal(kind, key)
    return found === null ? notFound(c, kind, key) : c.json(found)
  })
  for (const kind of SIGNAL_KINDS) routes.get(`/${SIGNAL_LISTS[kind]}`, (c) => answerKind(c, reader, kind, now()))
  return routes
}

/** @param others parameters that the route reads itself */
async function answerKind(
  c: Context,
  reader: SignalReader,
  given: string,
  nowMs: number,
  others: readonly string[] = [],
): Promise<Response> {
  const filter = readFilter(c, 'signals', nowMs, [...others, 'cursor', 'limit'])
  if (!filter.ok) return badRequest(c, filter.error)
  const kind = kindOf(given)
  if (kind === null) return badRequest(c, invalidKind(given))
  const paging = pageParameters(c)
  if (!paging.ok) return badRequest(c, paging.error)
  const page = await reader.signals(kind, filter.value.filter, paging.value.position, paging.value.page)
  const { filter: conditions, problems } = filter.value
  if (c.req.query('cursor') !== undefined) return c.json({ ...page, problems })
  return c.json({ ...page, problems, leftOut: withHidden(page, conditions, await reader.leftOut('signals', kind)) })
}

const kindOf = (given: string): SignalKind | null => SIGNAL_KINDS.find((kind) => kind === given) ?? null

const invalidKind = (given: string): ParameterError => ({
  ...invalidValue('kind', given, '', similarName(shorten(given), SIGNAL_KINDS)),
  detail:
    given === ''
      ? `kind: must be one of ${SIGNAL_KINDS.join(', ')}`
      : `${JSON.stringify(shorten(given))} is not a kind of signal; ${nameHint(shorten(given), SIGNAL_KINDS)}`,
})
