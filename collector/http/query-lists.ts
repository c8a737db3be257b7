import { type Context, Hono } from 'hono'
import type { FilteredList } from '../../lib/wire/filter'
import type { LimitsNow } from '../../lib/wire/limits'
import type { ListPosition, PageRequest } from '../../lib/wire/list-position'
import type { ListFilter } from '../index/list-filter'
import type { Reader } from '../index/reader'
import { byHexId, byNumber, missing, wrong } from './query-answers'
import { wantedOf } from './query-filters'
import { onlyKnown, pageRequest } from './query-parameters'

export interface Lists {
  readonly reader: Pick<
    Reader,
    | 'events'
    | 'event'
    | 'envelopes'
    | 'envelope'
    | 'record'
    | 'deliveries'
    | 'delivery'
    | 'breadcrumbs'
    | 'trail'
    | 'outcomes'
    | 'outcomesOf'
  >
  readonly limitsNow: () => Promise<LimitsNow>
  readonly now: () => number
}

/** Lists but those of traces and signals, newest first with filters and cursors, and each thing by its id. */
export function listRoutes({ reader, limitsNow, now }: Lists): Hono {
  const routes = new Hono()
  const list = (
    name: FilteredList,
    read: (wanted: ListFilter, place: ListPosition, page: PageRequest) => Promise<object>,
  ): void => {
    routes.get(`/${name}`, (c) => answerList(c, name, now(), read))
  }
  list('events', reader.events)
  list('envelopes', reader.envelopes)
  list('deliveries', reader.deliveries)
  list('outcomes', reader.outcomes)
  routes.get('/breadcrumbs', (c) =>
    c.req.query('event') === undefined
      ? answerList(c, 'breadcrumbs', now(), reader.breadcrumbs)
      : answerTrail(c, now(), reader.trail),
  )
  routes.get('/limits', async (c) => {
    const known = onlyKnown(c, [])
    return known.ok ? c.json(await limitsNow()) : wrong(c, known.error)
  })

  routes.get('/events/:id', (c) => byHexId(c, 'event', reader.event))
  routes.get('/deliveries/:id', (c) => byNumber(c, 'delivery', reader.delivery))
  routes.get('/outcomes/:id', (c) => byNumber(c, 'envelope', reader.outcomesOf))
  routes.get('/envelopes/:id', (c) =>
    c.req.query('raw') === undefined ? byNumber(c, 'envelope', reader.envelope) : answerRaw(c, reader.record),
  )
  return routes
}

/** A page of what is wanted, or what of the address was wrong. */
export async function answerList(
  c: Context,
  list: FilteredList,
  nowMs: number,
  read: (wanted: ListFilter, place: ListPosition, page: PageRequest) => Promise<object>,
): Promise<Response> {
  const wanted = wantedOf(c, list, nowMs)
  if (!wanted.ok) return wrong(c, wanted.error)
  const asked = pageRequest(c)
  if (!asked.ok) return wrong(c, asked.error)
  return c.json(await read(wanted.value, asked.value.place, asked.value.page))
}

async function answerTrail(c: Context, nowMs: number, read: Lists['reader']['trail']): Promise<Response> {
  const wanted = wantedOf(c, 'breadcrumbs', nowMs)
  if (!wanted.ok) return wrong(c, wanted.error)
  const { event } = wanted.value
  const beside = ['cursor', 'limit', 'trace'].find((name) => c.req.query(name) !== undefined)
  if (event === undefined || beside !== undefined)
    return wrong(c, `${beside}: the breadcrumbs of an event come whole; meant is event without ${beside}`)
  return c.json(await read(event, wanted.value))
}

async function answerRaw(c: Context, read: Lists['reader']['record']): Promise<Response> {
  const known = onlyKnown(c, [], ['raw'])
  if (!known.ok) return wrong(c, known.error)
  const given = c.req.param('id') ?? ''
  if (!/^\d{1,15}$/.test(given)) return wrong(c, `${JSON.stringify(given.slice(0, 40))} is no envelope number`)
  const seq = Number(given)
  const record = await read(seq)
  if (record === null) return missing(c, 'envelope', given)
  // Never as something a browser would run or show.
  c.header('Content-Type', 'application/octet-stream')
  c.header('Content-Disposition', `attachment; filename="envelope-${seq}.envelope"`)
  c.header('X-Content-Type-Options', 'nosniff')
  return c.body(record.body as Uint8Array<ArrayBuffer>)
}
