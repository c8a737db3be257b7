import { type Context, Hono } from 'hono'
import { itemType, type ReadValue, stampValue } from '../../../lib/filter/values'
import type { TelemetryIndex } from '../../index/index'
import { problem } from '../../runtime/problem'
import type { Spool } from '../../spool/spool'
import type { LiveHub } from '../live-hub'
import { TOO_MANY_LISTENERS } from '../live-stream'
import { badRequest, checkParameters, integerParameter, invalidValue } from './parameters'

export const MAX_WAIT_SECONDS = 60
const MAX_ROWS = 1000
/** Smaller than other pages, because submissions come with their bodies. */
const DEFAULT_RECORDED = 200

interface WaitDeps {
  readonly index: Pick<TelemetryIndex, 'items'>
  readonly record: Pick<Spool, 'journal' | 'recorded'>
}

/** Long polls: rows after a journal number, oldest first, as soon as there are some. `next` is the number to continue with. */
export function waitRoutes({ index, record }: WaitDeps, hub: LiveHub): Hono {
  const routes = new Hono()
  routes.get('/journal', (c) =>
    longPoll(c, { record, hub }, JOURNAL, async (after, limit) => {
      const page = await record.journal(after, limit)
      return { ...page, body: page, isFound: page.facts.length > 0 }
    }),
  )
  routes.get('/items', (c) =>
    longPoll(c, { record, hub }, ITEMS, async (after, limit) => {
      const filter = { type: c.req.query('type') ?? null, stamp: c.req.query('stamp') ?? null }
      const page = await index.items(after, filter, limit)
      return { ...page, body: page, isFound: page.items.length > 0 }
    }),
  )
  routes.get('/recorded', (c) =>
    longPoll(c, { record, hub }, RECORDED, async (after, limit) => {
      const filter = { stamp: c.req.query('stamp') ?? null, unstamped: c.req.query('unstamped') !== undefined }
      return record.recorded(after, filter, limit)
    }),
  )
  return routes
}

interface PollParameters {
  readonly filters: Readonly<Record<string, ReadValue<string>>>
  readonly flags?: readonly string[]
  readonly defaultLimit?: number
  readonly minLimit?: number
}

const JOURNAL: PollParameters = { filters: {} }
const ITEMS: PollParameters = { filters: { type: itemType, stamp: stampValue } }
const RECORDED: PollParameters = {
  filters: { stamp: stampValue },
  flags: ['unstamped'],
  defaultLimit: DEFAULT_RECORDED,
  minLimit: 0,
}

interface Found {
  /** Every row up to this number was read. */
  readonly next: number
  readonly isFound: boolean
  readonly body: object | Uint8Array<ArrayBuffer>
}

/** Answers as soon as there are rows after `after`, otherwise with none when the wait is over. Reads each row only once. */
async function longPoll(
  c: Context,
  { record, hub }: { readonly record: Pick<Spool, 'journal'>; readonly hub: LiveHub },
  { filters, flags, defaultLimit = MAX_ROWS, minLimit = 1 }: PollParameters,
  read: (after: number, limit: number) => Promise<Found>,
): Promise<Response> {
  const checked = checkParameters(c, ['after', 'wait', 'limit', ...Object.keys(filters)], flags)
  if (!checked.ok) return badRequest(c, checked.error)
  const from = integerParameter(c, 'after', { least: 0, most: Number.MAX_SAFE_INTEGER, fallback: 0 })
  const wait = integerParameter(c, 'wait', { least: 0, most: MAX_WAIT_SECONDS, fallback: 0 })
  const limit = integerParameter(c, 'limit', { least: minLimit, most: MAX_ROWS, fallback: defaultLimit })
  if (!from.ok) return badRequest(c, from.error)
  if (!wait.ok) return badRequest(c, wait.error)
  if (!limit.ok) return badRequest(c, limit.error)
  for (const [name, readValue] of Object.entries(filters)) {
    const text = c.req.query(name)
    const value = text === undefined ? null : readValue(text, Date.now())
    if (value?.ok === false)
      return badRequest(c, invalidValue(name, text ?? '', value.error.why, value.error.suggestion))
  }
  if (await isBeyondHead(from.value, record, hub))
    return badRequest(
      c,
      invalidValue('after', `${from.value}`, `the newest number is ${hub.head}; is it from another data folder?`),
    )
  const until = Date.now() + wait.value * 1000
  for (let after = from.value; ; ) {
    const { published } = hub
    const found = await read(after, limit.value)
    const leftMs = until - Date.now()
    if (found.isFound || leftMs <= 0) return answer(c, found)
    const hasAdvanced = found.next > after
    after = found.next
    // One read covers a limited range, so there may be more to read already.
    if (hasAdvanced && !c.req.raw.signal.aborted) continue
    if (hub.isFull) return problem(c, TOO_MANY_LISTENERS)
    if (!(await hub.waitForMore(published, leftMs, c.req.raw.signal))) return answer(c, found)
  }
}

/** A fact can be read shortly before it is published, and a client may already continue after it. */
async function isBeyondHead(after: number, record: Pick<Spool, 'journal'>, hub: LiveHub): Promise<boolean> {
  if (after <= hub.head) return false
  const { facts } = await record.journal(after - 1, 1)
  return facts.length === 0 && after > hub.head
}

const answer = (c: Context, { body }: Found): Response =>
  body instanceof Uint8Array ? c.body(body, 200, { 'Content-Type': 'application/json' }) : c.json(body)
