import type { Random } from '../faults/random'
import { errorEnvelope, spanEnvelope, transactionEnvelope } from '../flow/envelopes'

/** The answers since the last call of `take`. */
export interface Answers {
  readonly waits: readonly number[]
  /** Counts of answers other than 200 and of connection errors. */
  readonly strange: ReadonlyMap<string, number>
}

export interface Load {
  readonly take: () => Answers
  /** Resolves when all open posts are answered. */
  readonly stop: () => Promise<void>
}

/** Limits open posts while the collector is slow. */
const MOST_OPEN = 64
const TICK_MS = 20

/**
 * Posts a mixture of envelopes as SDKs send them.
 * @param given.perSecond posts per second; null posts as fast as eight clients receive answers
 */
export function startLoad(given: {
  readonly url: string
  readonly dsn: string
  readonly draw: Random
  readonly perSecond: number | null
}): Load {
  let waits: number[] = []
  let strange = new Map<string, number>()
  let over = false
  const open = new Set<Promise<void>>()
  const note = (what: string): void => void strange.set(what, (strange.get(what) ?? 0) + 1)

  async function post(): Promise<void> {
    const began = performance.now()
    try {
      const body = makeBody(given.draw, given.dsn)
      const response = await fetch(`${given.url}/tunnel`, { method: 'POST', body })
      await response.arrayBuffer()
      if (response.status !== 200) note(String(response.status))
    } catch (error) {
      note(error instanceof Error ? error.message : String(error))
    }
    waits.push(performance.now() - began)
  }
  const begin = (): void => {
    const one = post().finally(() => open.delete(one))
    open.add(one)
  }

  const { perSecond } = given
  const paced = perSecond === null ? null : pace(perSecond, () => open.size < MOST_OPEN && begin())
  const clients = Promise.all(
    Array.from({ length: perSecond === null ? 8 : 0 }, async () => {
      while (!over) await post()
    }),
  )
  return {
    take: () => {
      const taken = { waits, strange }
      waits = []
      strange = new Map()
      return taken
    },
    stop: async () => {
      over = true
      clearInterval(paced ?? undefined)
      await clients
      await Promise.all(open)
    },
  }
}

function pace(perSecond: number, begin: () => unknown): NodeJS.Timeout {
  const from = performance.now()
  let begun = 0
  return setInterval(() => {
    for (const due = ((performance.now() - from) / 1000) * perSecond; begun < due; begun += 1) begin()
  }, TICK_MS)
}

/** Errors, transactions, streamed spans, logs, sessions and, one in fifty, an attachment. */
function makeBody(draw: Random, dsn: string): string {
  const kind = draw.fraction()
  if (kind < 0.3) return errorEnvelope(dsn, { message: `soak ${draw.between(1, 500)}`, breadcrumbs: 20 }).body
  if (kind < 0.5) return transactionEnvelope(dsn, { children: draw.between(1, 30) }).body
  if (kind < 0.65) return spanEnvelope(dsn, { children: draw.between(1, 30) }).body
  const items = kind < 0.8 ? logs(draw) : kind < 0.98 ? session(draw) : attachment(draw)
  return [JSON.stringify({ dsn, sent_at: '2026-11-20T10:00:00.000Z' }), ...items].join('\n')
}

function logs(draw: Random): readonly string[] {
  const items = Array.from({ length: draw.between(1, 20) }, (_, index) => ({
    timestamp: 1_795_000_000 + index,
    trace_id: draw.bytes(16).toString('hex'),
    level: 'info',
    body: `line ${index}`,
    attributes: { 'sentry.release': { value: 'soak@1', type: 'string' } },
  }))
  const header = { type: 'log', item_count: items.length, content_type: 'application/vnd.sentry.items.log+json' }
  return [JSON.stringify(header), JSON.stringify({ items })]
}

function session(draw: Random): readonly string[] {
  const sid = draw.bytes(16).toString('hex')
  const at = '2026-11-20T10:00:00.000Z'
  const one = { sid, init: true, started: at, timestamp: at, status: 'ok', errors: 0, attrs: { release: 'soak@1' } }
  return [JSON.stringify({ type: 'session' }), JSON.stringify(one)]
}

function attachment(draw: Random): readonly string[] {
  const text = draw.bytes(draw.between(5000, 60_000)).toString('base64')
  return [JSON.stringify({ type: 'attachment', length: text.length, filename: 'soak.txt' }), text]
}
