import { type Context, Hono } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import { HEARTBEAT_MS } from '../../lib/contract/values'
import type { JournalFact } from '../../lib/wire/journal'
import type { Reader } from '../index/reader'
import { type LiveHub, MOST_LISTENERS } from './hub'
import { problem } from './refusal'

/** Who resumes from further back than this is told to start afresh. */
const LONGEST_RESUME = 5000
/** A reader that does not read is cut off rather than buffered for. */
const LARGEST_BACKLOG = 10_000

/** What whoever waits is told when too many wait already. */
export const TOO_MANY_LISTEN = {
  status: 503,
  detail: `${MOST_LISTENERS} streams and waits are open already: close some, or ask without waiting`,
} as const

/**
 * `GET /query/stream`: each fact as it becomes durable. `event: journal` carries one, `event: beat` nothing new, so
 * that both ends know that the other is there, `event: reset` says that facts between were left out. `Last-Event-ID`
 * resumes.
 */
export function streamRoutes(hub: LiveHub, reader: Pick<Reader, 'journal'>): Hono {
  const routes = new Hono()
  routes.get('/stream', (c) => {
    if (hub.isFull) return problem(c, TOO_MANY_LISTEN)
    c.header('X-Accel-Buffering', 'no')
    return streamSSE(c, (stream) => follow(stream, hub, reader, resumeFrom(c)))
  })
  return routes
}

function resumeFrom(c: Context): number | null {
  const text = c.req.header('last-event-id') ?? c.req.query('after')
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null
}

async function follow(
  stream: SSEStreamingApi,
  hub: LiveHub,
  reader: Pick<Reader, 'journal'>,
  from: number | null,
): Promise<void> {
  const backlog: JournalFact[] = []
  let wake: () => void = () => undefined
  let sent = hub.head
  const stop = hub.listen((facts) => {
    if (backlog.length + facts.length <= LARGEST_BACKLOG) {
      backlog.push(...facts)
    } else {
      // It waits for a write that may never end, so it is here that it is cut off.
      stop()
      backlog.length = 0
      stream.abort()
    }
    wake()
  })
  stream.onAbort(() => wake())
  try {
    if (from !== null && from < sent) {
      const missed = hub.since(from) ?? (await missedFacts(reader, from, sent))
      if (missed === null) await stream.writeSSE({ event: 'reset', data: '{}', id: String(sent) })
      for (const fact of missed ?? []) if (fact.n <= sent) await write(stream, fact)
    }
    // A number that was never given here: whoever asks has seen another folder.
    if (from !== null && from > sent) await stream.writeSSE({ event: 'reset', data: '{}', id: String(sent) })
    await beat(stream, sent)
    while (!stream.aborted) {
      if (
        backlog.length === 0 &&
        !(await wokenWithin(HEARTBEAT_MS, (resolve) => {
          wake = resolve
        }))
      )
        await beat(stream, sent)
      for (const fact of backlog.splice(0)) {
        // What was resumed from the journal may also have been published meanwhile.
        if (fact.n <= sent) continue
        sent = fact.n
        await write(stream, fact)
      }
    }
  } finally {
    stop()
  }
}

async function missedFacts(
  reader: Pick<Reader, 'journal'>,
  from: number,
  head: number,
): Promise<readonly JournalFact[] | null> {
  if (head - from > LONGEST_RESUME) return null
  const { facts } = await reader.journal(from, LONGEST_RESUME)
  return facts[0]?.n === from + 1 ? facts : null
}

const write = (stream: SSEStreamingApi, fact: JournalFact): Promise<void> =>
  stream.writeSSE({ event: 'journal', id: String(fact.n), data: JSON.stringify(fact) })

const beat = (stream: SSEStreamingApi, journal: number): Promise<void> =>
  stream.writeSSE({ event: 'beat', data: JSON.stringify({ journal }) })

/** True when woken, false when the time is over. */
function wokenWithin(ms: number, onWake: (resolve: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms)
    onWake(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
