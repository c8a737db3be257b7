import { type Context, Hono } from 'hono'
import { COUNTED_KEYS, isQueryList, QUERY_LISTS } from '../../../lib/filter/keys'
import { readCondition } from '../../../lib/filter/values'
import { SIGNAL_KINDS } from '../../../lib/protocol/items/signal'
import type { EventDetail } from '../../../lib/wire/event'
import type { FilteredList } from '../../../lib/wire/filter'
import type { LimitsNow } from '../../../lib/wire/limits'
import type { ListFilter } from '../../../lib/wire/list-filter'
import type { ListPosition, PageRequest } from '../../../lib/wire/list-paging'
import type { GroupFrames, MappedFrames } from '../../../lib/wire/mapped-frames'
import type { LeftOut } from '../../../lib/wire/values'
import type { TelemetryIndex } from '../../index/index'
import type { Spool } from '../../spool/spool'
import { readFilter } from './filters'
import {
  answerById,
  answerByNumber,
  answerPlain,
  badRequest,
  checkParameters,
  conflict,
  invalidNumber,
  invalidValue,
  isNumberText,
  notFound,
  type ParameterError,
  pageParameters,
} from './parameters'

export interface ListDeps {
  readonly index: Pick<
    TelemetryIndex,
    | 'events'
    | 'event'
    | 'errors'
    | 'errorGroup'
    | 'envelopes'
    | 'envelope'
    | 'breadcrumbs'
    | 'trail'
    | 'leftOut'
    | 'values'
    | 'slow'
    | 'programs'
  >
  readonly record: Pick<Spool, 'record' | 'deliveries' | 'delivery' | 'outcomes' | 'outcomesOf'>
  readonly limitsNow: () => Promise<LimitsNow>
  /** Maps the frames of an event through source maps on this disk. */
  readonly mapFrames: (event: EventDetail) => Promise<MappedFrames>
  /** `null` when no event of the group is stored. */
  readonly groupFrames: (hash: string) => Promise<GroupFrames | null>
  readonly now: () => number
  /** `waystation show`: the last hour is that of the run. */
  readonly isShown: boolean
}

type ReadPage = (filter: ListFilter, position: ListPosition, page: PageRequest) => Promise<object>

/** Lists of events, envelopes, deliveries, outcomes and breadcrumbs, newest first, and one row of each by its id. */
export function listRoutes({ index, record, limitsNow, mapFrames, groupFrames, now, isShown }: ListDeps): Hono {
  const routes = new Hono()
  const list = (name: FilteredList, read: ReadPage): void => {
    routes.get(`/${name}`, (c) => answerList(c, name, now(), read))
  }
  routes.get('/events', (c) =>
    answerList(c, 'events', now(), index.events, { leftOut: () => index.leftOut('events', null) }),
  )
  routes.get('/envelopes', (c) =>
    answerList(c, 'envelopes', now(), index.envelopes, { leftOut: () => index.leftOut('envelopes', null) }),
  )
  list('deliveries', record.deliveries)
  list('outcomes', record.outcomes)
  routes.get('/breadcrumbs', (c) =>
    c.req.query('event') === undefined
      ? answerList(c, 'breadcrumbs', now(), index.breadcrumbs)
      : answerTrail(c, now(), index.trail),
  )
  const hourEnd = () => (isShown ? null : now())
  routes.get('/errors', (c) => answerErrorGroups(c, now(), index.errors, hourEnd()))
  routes.get('/errors/:id', (c) => answerById(c, 'error group', (hash) => index.errorGroup(hash, hourEnd())))
  routes.get('/errors/:id/frames', (c) => answerById(c, 'error group', groupFrames))
  routes.get('/slow', (c) => answerPlain(c, () => index.slow(hourEnd())))
  routes.get('/programs', (c) => answerPlain(c, () => index.programs(hourEnd())))
  routes.get('/values', (c) => answerValues(c, index.values))
  routes.get('/limits', (c) => answerPlain(c, limitsNow))

  routes.get('/events/:id', (c) => answerById(c, 'event', index.event))
  routes.get('/events/:id/frames', (c) =>
    answerById(c, 'event', async (id) => {
      const event = await index.event(id)
      return event === null ? null : mapFrames(event)
    }),
  )
  routes.get('/deliveries/:id', (c) => answerByNumber(c, 'delivery', record.delivery))
  routes.get('/outcomes/:id', (c) => answerByNumber(c, 'envelope', record.outcomesOf))
  routes.get('/envelopes/:id', (c) =>
    c.req.query('raw') === undefined ? answerByNumber(c, 'envelope', index.envelope) : answerRaw(c, record.record),
  )
  return routes
}

interface ListOptions {
  /** Parameters that the route reads itself, and why one of them is wrong. */
  readonly others?: readonly string[]
  readonly wrong?: ParameterError | null
  /** Counts the rows that the first page leaves out. */
  readonly leftOut?: () => ReturnType<TelemetryIndex['leftOut']>
}

export async function answerList(
  c: Context,
  list: FilteredList,
  nowMs: number,
  read: ReadPage,
  { others = [], wrong = null, leftOut }: ListOptions = {},
): Promise<Response> {
  const filter = readFilter(c, list, nowMs, ['cursor', 'limit', ...others])
  if (!filter.ok) return badRequest(c, filter.error)
  if (wrong !== null) return badRequest(c, wrong)
  const paging = pageParameters(c)
  if (!paging.ok) return badRequest(c, paging.error)
  const { filter: conditions, problems } = filter.value
  const page = await read(conditions, paging.value.position, paging.value.page)
  if (!isQueryList(list)) return c.json(page)
  if (leftOut === undefined || c.req.query('cursor') !== undefined) return c.json({ ...page, problems })
  return c.json({ ...page, problems, leftOut: withHidden(page, conditions, await leftOut()) })
}

/** Adds the number of rows that the filter hides, for a list that shows none. */
export function withHidden(
  page: object,
  { own }: ListFilter,
  leftOut: Awaited<ReturnType<TelemetryIndex['leftOut']>>,
): LeftOut {
  const isEmpty = Object.entries(page).every(([, value]) => (Array.isArray(value) ? value.length === 0 : true))
  const hasNext = 'next' in page && page.next !== null
  const rest = own === false ? leftOut.stored - leftOut.own : leftOut.stored
  return { ...leftOut, hidden: isEmpty && !hasNext ? Math.max(0, rest) : null }
}

/** Counts the values of one key in the newest rows of a list. */
export async function answerValues(c: Context, read: TelemetryIndex['values']): Promise<Response> {
  const checked = checkParameters(c, ['list', 'key', 'kind', 'own'])
  if (!checked.ok) return badRequest(c, checked.error)
  const [list = '', key = '', kind, own = 'hide'] = ['list', 'key', 'kind', 'own'].map((name) => c.req.query(name))
  const found = QUERY_LISTS.find((one) => one === list)
  if (found === undefined) return badRequest(c, invalidValue('list', list, `must be one of ${QUERY_LISTS.join(', ')}`))
  if (!COUNTED_KEYS[found].includes(key))
    return badRequest(c, invalidValue('key', key, `must be one of ${COUNTED_KEYS[found].join(', ')}`))
  const signal = SIGNAL_KINDS.find((one) => one === kind) ?? null
  if ((found === 'signals') !== (signal !== null) || (kind !== undefined && signal === null))
    return badRequest(
      c,
      invalidValue('kind', kind ?? '', `must be, for signals alone, one of ${SIGNAL_KINDS.join(', ')}`),
    )
  const ownFilter = readCondition('traces', 'own', own, 0)
  if (!ownFilter.ok) return badRequest(c, invalidValue('own', own, ownFilter.error.why, ownFilter.error.suggestion))
  return c.json(await read(found, key, { kind: signal, own: ownFilter.value.own }))
}

function answerErrorGroups(
  c: Context,
  nowMs: number,
  read: ListDeps['index']['errors'],
  hourEndMs: number | null,
): Promise<Response> {
  const given = c.req.query('sort') ?? 'last'
  const sort = given === 'count' ? 'count' : 'last'
  const wrong = given === sort ? null : invalidValue('sort', given, 'must be last or count')
  return answerList(
    c,
    'errors',
    nowMs,
    (filter, position, page) => read(filter, position, page, { sort, nowMs: hourEndMs }),
    { others: ['sort'], wrong },
  )
}

async function answerTrail(c: Context, nowMs: number, read: ListDeps['index']['trail']): Promise<Response> {
  const filter = readFilter(c, 'breadcrumbs', nowMs)
  if (!filter.ok) return badRequest(c, filter.error)
  const extra = ['cursor', 'limit', 'trace'].find((name) => c.req.query(name) !== undefined)
  if (extra !== undefined)
    return badRequest(c, conflict(c, extra, 'event', 'the breadcrumbs of an event come in one answer'))
  return c.json(await read(filter.value.filter.event ?? '', filter.value.filter))
}

async function answerRaw(c: Context, read: ListDeps['record']['record']): Promise<Response> {
  const checked = checkParameters(c, [], ['raw'])
  if (!checked.ok) return badRequest(c, checked.error)
  const given = c.req.param('id') ?? ''
  if (!isNumberText(given)) return badRequest(c, invalidNumber('envelope', given))
  return answerRecordBytes(c, Number(given), read)
}

/** Answers the recorded bytes of an envelope, as a download: a browser must never run or render them. */
export async function answerRecordBytes(
  c: Context,
  seq: number,
  read: ListDeps['record']['record'],
): Promise<Response> {
  const record = await read(seq)
  if (record === null) return notFound(c, 'envelope', String(seq))
  c.header('Content-Type', 'application/octet-stream')
  c.header('Content-Disposition', `attachment; filename="envelope-${seq}.envelope"`)
  c.header('X-Content-Type-Options', 'nosniff')
  return c.body(record.body as Uint8Array<ArrayBuffer>)
}
