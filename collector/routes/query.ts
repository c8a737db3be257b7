import { type Context, Hono } from 'hono'
import { hex32 } from '../../lib/protocol/ids'
import type { BreadcrumbsPage } from '../../lib/wire/event'
import type { JournalPage } from '../../lib/wire/journal'
import type { Overview } from '../../lib/wire/overview'
import { problem } from '../errors'
import type { LiveHub } from '../live/hub'
import type { Reader } from '../store/reader'
import { onlyKnown, pageRequest, wholeNumber } from './query-parameters'
import { signalRoutes } from './query-signals'
import { TOO_MANY_LISTEN } from './stream'
import { answerTrace, SPANS_OF_TRACE } from './trace'

export interface Query {
  readonly reader: Reader
  readonly hub: LiveHub
  readonly overview: () => Promise<Overview>
}

/** A long poll ends after so many seconds at most. */
export const LONGEST_WAIT_SECONDS = 60
const LARGEST_ITEMS = 1000

/** What is recorded, as JSON: lists newest first with cursors, and each thing by its id. */
export function queryRoutes({ reader, hub, overview }: Query): Hono {
  const routes = new Hono()

  routes.get('/overview', async (c) => c.json(await overview()))

  const list = (path: string, read: (...args: Parameters<Reader['traces']>) => Promise<object>): void => {
    routes.get(path, async (c) => {
      const known = onlyKnown(c, ['cursor', 'limit'])
      if (!known.ok) return wrong(c, known.error)
      const wanted = pageRequest(c)
      return wanted.ok ? c.json(await read(wanted.value.place, wanted.value.page)) : wrong(c, wanted.error)
    })
  }
  list('/traces', reader.traces)
  list('/events', reader.events)
  list('/envelopes', reader.envelopes)
  list('/deliveries', reader.deliveries)

  routes.route('/', signalRoutes(reader))

  routes.get('/traces/:id', async (c) => {
    const known = onlyKnown(c, ['spans'])
    if (!known.ok) return wrong(c, known.error)
    const most = wholeNumber(c, 'spans', SPANS_OF_TRACE)
    if (!most.ok) return wrong(c, most.error)
    const given = c.req.param('id')
    const id = hex32(given)
    if (id === null) return wrong(c, noHexId('trace', given))
    return (await answerTrace(c, reader, id, most.value)) ?? missing(c, 'trace', given)
  })
  routes.get('/events/:id', (c) => byHexId(c, 'event', reader.event))
  routes.get('/breadcrumbs', async (c) => {
    const id = hex32(c.req.query('event'))
    if (id === null) return wrong(c, 'event: meant is the id of an event, 32 hex digits')
    return c.json({
      breadcrumbs: await reader.breadcrumbs([id]),
      next: null,
      journal: hub.head,
    } satisfies BreadcrumbsPage)
  })
  routes.get('/deliveries/:id', (c) => byNumber(c, 'delivery', reader.delivery))
  routes.get('/envelopes/:id', async (c) => {
    if (c.req.query('raw') === undefined) return byNumber(c, 'envelope', reader.envelope)
    const given = c.req.param('id')
    if (!/^\d{1,15}$/.test(given)) return wrong(c, `${JSON.stringify(given.slice(0, 40))} is no envelope number`)
    const seq = Number(given)
    const record = await reader.record(seq)
    if (record === null) return missing(c, 'envelope', c.req.param('id'))
    // Never as something a browser would run or show.
    c.header('Content-Type', 'application/octet-stream')
    c.header('Content-Disposition', `attachment; filename="envelope-${seq}.envelope"`)
    c.header('X-Content-Type-Options', 'nosniff')
    return c.body(record.body as Uint8Array<ArrayBuffer>)
  })

  routes.get('/journal', (c) => {
    let oldest = 0
    return waitFor(
      c,
      hub,
      ['after', 'wait', 'limit'],
      async (after, limit) => {
        const page = await reader.journal(after, limit)
        oldest = page.oldest
        return page.facts.length > 0 ? page : null
      },
      (after) => ({ facts: [], next: after, oldest }) satisfies JournalPage,
    )
  })
  routes.get('/items', (c) =>
    waitFor(
      c,
      hub,
      ['after', 'wait', 'limit', 'type', 'stamp'],
      async (after, limit) => {
        const filter = { type: c.req.query('type') ?? null, stamp: c.req.query('stamp') ?? null }
        const page = await reader.items(after, filter, limit)
        return page.items.length > 0 ? page : null
      },
      (after) => ({ items: [], next: after }),
    ),
  )
  return routes
}

/** Answers as soon as there is something after the cursor, else with nothing when the wait is over. */
async function waitFor(
  c: Context,
  hub: LiveHub,
  parameters: readonly string[],
  read: (after: number, limit: number) => Promise<object | null>,
  nothing: (after: number) => object,
): Promise<Response> {
  const known = onlyKnown(c, parameters)
  if (!known.ok) return wrong(c, known.error)
  const after = wholeNumber(c, 'after', { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 })
  const wait = wholeNumber(c, 'wait', { least: 0, most: LONGEST_WAIT_SECONDS, otherwise: 0 })
  const limit = wholeNumber(c, 'limit', { least: 1, most: LARGEST_ITEMS, otherwise: LARGEST_ITEMS })
  if (!after.ok) return wrong(c, after.error)
  if (!wait.ok) return wrong(c, wait.error)
  if (!limit.ok) return wrong(c, limit.error)
  const until = Date.now() + wait.value * 1000
  for (;;) {
    const seen = hub.head
    const found = await read(after.value, limit.value)
    if (found !== null) return c.json(found)
    const left = until - Date.now()
    if (left > 0 && hub.isFull) return problem(c, TOO_MANY_LISTEN)
    if (left <= 0 || !(await hub.waitPast(seen, left, c.req.raw.signal))) return c.json(nothing(after.value))
  }
}

async function byHexId(c: Context, noun: string, read: (id: string) => Promise<object | null>): Promise<Response> {
  const given = c.req.param('id') ?? ''
  const id = hex32(given)
  if (id === null) return wrong(c, noHexId(noun, given))
  const found = await read(id)
  return found === null ? missing(c, noun, given) : c.json(found)
}

const noHexId = (noun: string, given: string): string =>
  `${JSON.stringify(given.slice(0, 40))} is no ${noun} id: meant are 32 hex digits`

async function byNumber(c: Context, noun: string, read: (n: number) => Promise<object | null>): Promise<Response> {
  const given = c.req.param('id') ?? ''
  if (!/^\d{1,15}$/.test(given)) return wrong(c, `${JSON.stringify(given.slice(0, 40))} is no ${noun} number`)
  const found = await read(Number(given))
  return found === null ? missing(c, noun, given) : c.json(found)
}

const wrong = (c: Context, detail: string): Response => problem(c, { status: 400, detail })

const missing = (c: Context, noun: string, id: string): Response =>
  problem(c, {
    status: 404,
    detail: `no ${noun} ${id.slice(0, 40)} is kept here; it may still be on its way, or have gone to make room`,
  })
