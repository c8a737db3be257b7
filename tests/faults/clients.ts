import { createHash, randomUUID } from 'node:crypto'
import { retryWhileEvicting } from '../flow/retry-while-evicting'
import type { Random } from './random'

/** The result of a post: `open` until it is known, `unknown` when no answer came. */
export type PostResult = 'open' | 'acknowledged' | 'unknown'

export interface Sent {
  /** Also its stamp. */
  readonly id: string
  readonly sha256: string
  readonly bytes: number
  /** The quantity in its client report; 0 if it has none. */
  readonly discarded: number
  result: PostResult
}

/** Several SDKs that post without a pause, also while the collector is killed. */
export interface Clients {
  /** Every body whose post was started, by its SHA-256. */
  readonly sent: ReadonlyMap<string, Sent>
  /** Answers other than 200, a closed connection, and an eviction timeout. */
  readonly unexpected: readonly string[]
  /** Makes them post to this URL; `null` pauses them. */
  readonly setTarget: (url: string | null) => void
  /** Resolves when all have stopped. */
  readonly stop: () => Promise<void>
}

const CLIENTS = 8

/**
 * Half of them post once, like an SDK. The others retry with the same receipt until they get a 200, like a tunnel with a
 * lifeboat.
 * @param largeShare the share of bodies with a large attachment
 */
export function startClients(draw: Random, dsn: string, largeShare = 0.1): Clients {
  const sent = new Map<string, Sent>()
  const strange: string[] = []
  let url: string | null = null
  let waiting: (() => void)[] = []
  let over = false

  const aimed = async (): Promise<string | null> => {
    while (url === null && !over) await new Promise<void>((resolve) => waiting.push(resolve))
    return url
  }
  const wake = (): void => {
    for (const resolve of waiting) resolve()
    waiting = []
  }

  async function post(to: string, body: Buffer, headers: Record<string, string>): Promise<PostResult> {
    try {
      const response = await retryWhileEvicting(() =>
        fetch(to, { method: 'POST', body: new Uint8Array(body), headers }),
      )
      await response.arrayBuffer()
      if (response.status === 200) return 'acknowledged'
      strange.push(`${response.status} ${response.headers.get('x-sentry-error') ?? ''}`)
    } catch {
      // The collector ended or does not run: the result is unknown.
    }
    return 'unknown'
  }

  async function work(retries: boolean): Promise<void> {
    for (let to = await aimed(); to !== null && !over; to = await aimed()) {
      const { id, body, discarded } = makeBody(draw, dsn, largeShare)
      const record: Sent = { id, sha256: sha256(body), bytes: body.length, discarded, result: 'open' }
      sent.set(record.sha256, record)
      const headers = {
        'x-waystation-stamp': id,
        ...(retries ? { 'x-waystation-receipt': randomUUID() } : { 'x-sentry-auth': 'Sentry sentry_key=oracle' }),
      }
      const path = retries ? '/tunnel' : '/api/1/envelope/'
      let result = await post(`${to}${path}`, body, headers)
      while (retries && result !== 'acknowledged' && !over) {
        const again = await aimed()
        if (again === null) break
        result = await post(`${again}${path}`, body, headers)
        // Until the test notices the end of the collector, every try fails at once.
        if (result !== 'acknowledged') await new Promise((resolve) => setImmediate(resolve))
      }
      record.result = result
    }
  }
  const all = Promise.all(Array.from({ length: CLIENTS }, (_, index) => work(index % 2 === 1)))

  return {
    sent,
    unexpected: strange,
    setTarget: (to) => {
      url = to
      if (to !== null) wake()
    },
    stop: async () => {
      over = true
      wake()
      await all
    },
  }
}

/** Mostly small, some of a few kilobytes, some with a large incompressible attachment, some with a client report. */
export function makeBody(
  draw: Random,
  dsn: string,
  largeShare: number,
): Pick<Sent, 'id' | 'discarded'> & { readonly body: Buffer } {
  const id = draw.bytes(16).toString('hex')
  const size = draw.fraction()
  const padding = size < 0.6 ? 100 : draw.between(2000, 40_000)
  const event = { event_id: id, platform: 'other', message: `oracle ${id}`, extra: { padding: 'x'.repeat(padding) } }
  const lines = [JSON.stringify({ event_id: id, dsn }), JSON.stringify({ type: 'event' }), JSON.stringify(event)]
  const discarded = draw.fraction() < 0.2 ? draw.between(1, 9) : 0
  const report = { discarded_events: [{ reason: 'sample_rate', category: 'span', quantity: discarded }] }
  if (discarded > 0) lines.push(JSON.stringify({ type: 'client_report' }), JSON.stringify(report))
  if (size < 1 - largeShare) return { id, discarded, body: Buffer.from(lines.join('\n')) }
  const attachment = draw.bytes(draw.between(50_000, 500_000))
  const itemHeader = JSON.stringify({ type: 'attachment', length: attachment.length, filename: `${id}.bin` })
  return {
    id,
    discarded,
    body: Buffer.concat([Buffer.from(`${[...lines, itemHeader].join('\n')}\n`), attachment, Buffer.from('\n')]),
  }
}

export const sha256 = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex')
