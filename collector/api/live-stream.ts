import { type Context, Hono } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import { HEARTBEAT_MS } from '../../lib/contract/values'
import { sleep, withTimeout } from '../../lib/time'
import type { JournalFact } from '../../lib/wire/journal'
import { problem } from '../runtime/problem'
import type { Spool } from '../spool/spool'
import { type LiveHub, MAX_LISTENERS } from './live-hub'

/** A client that missed more facts gets a reset. */
const MAX_RESUMED_FACTS = 5000
/** A client that does not read is disconnected at this number of buffered facts. */
const MAX_BACKLOG = 10_000
/** Facts of this time go out in one piece: a browser takes longer for a piece than for the facts in it. */
export const GATHER_MS = 100

export const TOO_MANY_LISTENERS = {
  status: 503,
  detail: `${MAX_LISTENERS} streams and long polls are open already: close some, or query without wait`,
} as const

/**
 * Server-sent events. `journal` carries a durable fact; `reset`: facts were skipped; `beat` is a heartbeat.
 * @param pause waits between two pieces
 */
export function streamRoutes(hub: LiveHub, record: Pick<Spool, 'journal'>, pause: FollowDeps['pause'] = sleep): Hono {
  const routes = new Hono()
  routes.get('/stream', (c) => {
    // The framework would drop a stream's body, and nobody would end it.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' })
    if (hub.isFull) return problem(c, TOO_MANY_LISTENERS)
    c.header('X-Accel-Buffering', 'no')
    return streamSSE(c, (stream) => follow(stream, { hub, record, pause }, resumeFrom(c)))
  })
  return routes
}

/** The number after which a client resumes; `null` for a new one. */
export function resumeFrom(c: Context): number | null {
  const text = c.req.header('last-event-id') ?? c.req.query('after')
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null
}

interface FollowDeps {
  readonly hub: LiveHub
  readonly record: Pick<Spool, 'journal'>
  readonly pause: (ms: number) => Promise<void>
}

async function follow(stream: SSEStreamingApi, { hub, record, pause }: FollowDeps, from: number | null): Promise<void> {
  const backlog: JournalFact[] = []
  let wake: () => void = () => undefined
  let sent = hub.head
  const stop = hub.listen((facts) => {
    if (backlog.length + facts.length <= MAX_BACKLOG) {
      backlog.push(...facts)
    } else {
      // The loop below may wait for a write forever, so the listener disconnects.
      stop()
      backlog.length = 0
      stream.abort()
    }
    wake()
  })
  stream.onAbort(() => wake())
  try {
    if (from !== null && from <= sent) {
      const missed = hub.since(from) ?? (await missedFacts(record, from, sent))
      if (missed === null) await stream.writeSSE({ event: 'reset', data: '{}', id: String(sent) })
      const head = sent
      await write(
        stream,
        (missed ?? []).filter(({ n }) => n <= head),
      )
    }
    // A number beyond the head is from another data folder.
    if (from !== null && from > sent) await stream.writeSSE({ event: 'reset', data: '{}', id: String(sent) })
    await beat(stream, sent)
    while (!stream.aborted) {
      if (
        backlog.length === 0 &&
        !(await withTimeout(new Promise<true>((resolve) => (wake = () => resolve(true))), HEARTBEAT_MS, false))
      )
        await beat(stream, sent)
      // All of them were published after `sent` was read. Several may have the same number.
      const fresh = backlog.splice(0)
      const [first, last] = [fresh[0], fresh.at(-1)]
      if (first === undefined || last === undefined) continue
      // Numbers that begin again are those of another record.
      if (first.n < sent) await stream.writeSSE({ event: 'reset', data: '{}', id: String(first.n) })
      sent = last.n
      await write(stream, fresh)
      await pause(GATHER_MS)
    }
  } finally {
    stop()
  }
}

async function missedFacts(
  record: Pick<Spool, 'journal'>,
  from: number,
  head: number,
): Promise<readonly JournalFact[] | null> {
  if (head - from > MAX_RESUMED_FACTS) return null
  const { facts } = await record.journal(from, MAX_RESUMED_FACTS)
  return facts[0]?.n === from + 1 ? facts : null
}

async function write(stream: SSEStreamingApi, facts: readonly JournalFact[]): Promise<void> {
  if (facts.length === 0) return
  const messages = facts.map((fact) => `event: journal\ndata: ${JSON.stringify(fact)}\nid: ${fact.n}\n\n`)
  await stream.write(messages.join(''))
}

const beat = (stream: SSEStreamingApi, journal: number): Promise<void> =>
  stream.writeSSE({ event: 'beat', data: JSON.stringify({ journal }) })
