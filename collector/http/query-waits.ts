import { type Context, Hono } from 'hono'
import type { Reader } from '../index/reader'
import { itemType, type ReadValue, stamp } from './filter-values'
import type { LiveHub } from './hub'
import { wrong } from './query-answers'
import { onlyKnown, wholeNumber } from './query-parameters'
import { problem } from './refusal'
import { TOO_MANY_LISTEN } from './stream'

/** A long poll ends after so many seconds at most. */
const LONGEST_WAIT_SECONDS = 60
const LARGEST_ITEMS = 1000
/** Submissions come with their bodies. */
const DEFAULT_RECORDED = 200

/** What follows a number, oldest first, as soon as there is something: `next` is the number to go on with. */
export function waitRoutes(reader: Pick<Reader, 'journal' | 'items' | 'recorded'>, hub: LiveHub): Hono {
  const routes = new Hono()
  routes.get('/journal', (c) =>
    waitFor(c, { reader, hub }, JOURNAL, async (after, limit) => {
      const page = await reader.journal(after, limit)
      return { ...page, body: page, isFound: page.facts.length > 0 }
    }),
  )
  routes.get('/items', (c) =>
    waitFor(c, { reader, hub }, ITEMS, async (after, limit) => {
      const wanted = { type: c.req.query('type') ?? null, stamp: c.req.query('stamp') ?? null }
      const page = await reader.items(after, wanted, limit)
      return { ...page, body: page, isFound: page.items.length > 0 }
    }),
  )
  routes.get('/recorded', (c) =>
    waitFor(c, { reader, hub }, RECORDED, async (after, limit) => {
      const wanted = { stamp: c.req.query('stamp') ?? null, unstamped: c.req.query('unstamped') !== undefined }
      return reader.recorded(after, wanted, limit)
    }),
  )
  return routes
}

/** What a wait may be asked for beside where it begins and how long it is. */
interface Asked {
  readonly filters: Readonly<Record<string, ReadValue<string>>>
  /** Parameters that say nothing but that they are there. */
  readonly flags?: readonly string[]
  /** Where no limit is given. */
  readonly limit?: number
  /** Its smallest; 1 when left out. */
  readonly least?: number
}

const JOURNAL: Asked = { filters: {} }
const ITEMS: Asked = { filters: { type: itemType, stamp } }
const RECORDED: Asked = { filters: { stamp }, flags: ['unstamped'], limit: DEFAULT_RECORDED, least: 0 }

interface Waited {
  readonly reader: Pick<Reader, 'journal'>
  readonly hub: LiveHub
}

/** A fact can be read a moment before it is published, and somebody may have been told to go on behind it. */
async function isBeyond(after: number, { reader, hub }: Waited): Promise<boolean> {
  if (after <= hub.head) return false
  const { facts } = await reader.journal(after - 1, 1)
  return facts.length === 0 && after > hub.head
}

interface Found {
  /** Up to where was looked. */
  readonly next: number
  readonly isFound: boolean
  /** What is answered: a page, or the bytes of one in JSON. */
  readonly body: object | Uint8Array<ArrayBuffer>
}

const answerWith = (c: Context, { body }: Found): Response =>
  body instanceof Uint8Array ? c.body(body, 200, { 'Content-Type': 'application/json' }) : c.json(body)

/**
 * Answers as soon as there is something after the cursor, else with nothing when the wait is over. Who waits goes on
 * behind what was looked at already.
 */
async function waitFor(
  c: Context,
  { reader, hub }: Waited,
  { filters, flags, limit: otherwise = LARGEST_ITEMS, least = 1 }: Asked,
  read: (after: number, limit: number) => Promise<Found>,
): Promise<Response> {
  const known = onlyKnown(c, ['after', 'wait', 'limit', ...Object.keys(filters)], flags)
  if (!known.ok) return wrong(c, known.error)
  const from = wholeNumber(c, 'after', { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 })
  const wait = wholeNumber(c, 'wait', { least: 0, most: LONGEST_WAIT_SECONDS, otherwise: 0 })
  const limit = wholeNumber(c, 'limit', { least, most: LARGEST_ITEMS, otherwise })
  if (!from.ok) return wrong(c, from.error)
  if (!wait.ok) return wrong(c, wait.error)
  if (!limit.ok) return wrong(c, limit.error)
  for (const [name, readFilter] of Object.entries(filters)) {
    const text = c.req.query(name)
    const value = text === undefined ? null : readFilter(text, Date.now())
    if (value?.ok === false) return wrong(c, `${name}=${text?.slice(0, 40)}: meant is ${value.error}`)
  }
  if (await isBeyond(from.value, { reader, hub }))
    return wrong(c, `after=${from.value}: the newest is ${hub.head}; was it a number of another data folder?`)
  const until = Date.now() + wait.value * 1000
  for (let after = from.value; ; ) {
    const seen = hub.head
    const found = await read(after, limit.value)
    const left = until - Date.now()
    if (found.isFound || left <= 0) return answerWith(c, found)
    const hasMoved = found.next > after
    after = found.next
    // It looked at as much as one look may: there is more to look at already.
    if (hasMoved && !c.req.raw.signal.aborted) continue
    if (hub.isFull) return problem(c, TOO_MANY_LISTEN)
    if (!(await hub.waitPast(seen, left, c.req.raw.signal))) return answerWith(c, found)
  }
}
