import { createHash, randomUUID } from 'node:crypto'
import { onceRoomIsMade } from '../flow/once-room-is-made'
import type { Draw } from './draw'

/** What became of a body that a client posted: `open` until it is known, `unknown` when no answer came. */
export type DeliveryStatus = 'open' | 'acknowledged' | 'unknown'

export interface Sent {
  /** Also the stamp under which the spool keeps it. */
  readonly id: string
  readonly sha256: string
  readonly bytes: number
  /** What its client report says that the SDK discarded; 0 where it has none. */
  readonly discarded: number
  deliveryStatus: DeliveryStatus
}

/** Several SDKs that post without a pause, whatever happens to the collector. */
export interface Clients {
  /** Every body that was begun to be posted, by its SHA-256. */
  readonly sent: ReadonlyMap<string, Sent>
  /** Answers that are neither 200 nor the end of a connection, nor that room was not made in time. */
  readonly strange: readonly string[]
  /** Lets them post to this address; `null` holds them back. */
  readonly aim: (url: string | null) => void
  /** Resolves when all have come to rest. */
  readonly stop: () => Promise<void>
}

const MANY = 8

/**
 * Half of them post once, as an SDK does. The others come back with the same receipt until they are answered, as a
 * tunnel with a lifeboat does.
 * @param largeShare of all bodies, those with a large attachment
 */
export function startClients(draw: Draw, dsn: string, largeShare = 0.1): Clients {
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

  async function post(to: string, body: Buffer, headers: Record<string, string>): Promise<DeliveryStatus> {
    try {
      const response = await onceRoomIsMade(() => fetch(to, { method: 'POST', body: new Uint8Array(body), headers }))
      await response.arrayBuffer()
      if (response.status === 200) return 'acknowledged'
      strange.push(`${response.status} ${response.headers.get('x-sentry-error') ?? ''}`)
    } catch {
      // The collector ended, or is not there: what became of the body is not known.
    }
    return 'unknown'
  }

  async function work(comesBack: boolean): Promise<void> {
    for (let to = await aimed(); to !== null && !over; to = await aimed()) {
      const { id, body, discarded } = makeBody(draw, dsn, largeShare)
      const record: Sent = { id, sha256: sha256(body), bytes: body.length, discarded, deliveryStatus: 'open' }
      sent.set(record.sha256, record)
      const headers = {
        'x-waystation-stamp': id,
        ...(comesBack ? { 'x-waystation-receipt': randomUUID() } : { 'x-sentry-auth': 'Sentry sentry_key=oracle' }),
      }
      const path = comesBack ? '/tunnel' : '/api/1/envelope/'
      let deliveryStatus = await post(`${to}${path}`, body, headers)
      while (comesBack && deliveryStatus !== 'acknowledged' && !over) {
        const again = await aimed()
        if (again === null) break
        deliveryStatus = await post(`${again}${path}`, body, headers)
        // Between a collector's end and the news of it every try fails at once.
        if (deliveryStatus !== 'acknowledged') await new Promise((resolve) => setImmediate(resolve))
      }
      record.deliveryStatus = deliveryStatus
    }
  }
  const all = Promise.all(Array.from({ length: MANY }, (_, index) => work(index % 2 === 1)))

  return {
    sent,
    strange,
    aim: (to) => {
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

/** Mostly small, some of a few kilobytes, some with a large attachment that cannot be deflated; some with a client report. */
function makeBody(
  draw: Draw,
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

const sha256 = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex')
