import { type Preparing, prepare } from '../../../collector/relay/prepare'
import { RateLimits } from '../../../collector/relay/running-limits'
import type { StoredLimit } from '../../../collector/spool/submission'
import { quantityOf } from '../../../lib/protocol/data-category'
import { type Endpoint, parseRecord } from '../../../lib/protocol/record'
import { submission } from '../spool/in-process-spool'
import { storedLimit } from '../spool/stored-limit'
import { valueIn } from '../value-in'

export const NOW = 1_700_000_000_000
export const MINUTE = 60_000
export const HEADER = '{"event_id":"9ec79c33ec9942ab8353589fcb2e04dc","sent_at":"2026-11-20T10:00:00.000Z"}'
export const dsn = { publicKey: 'key', projectId: '1' }

export const limit = (category: string, seconds: number, more: Partial<StoredLimit> = {}): StoredLimit =>
  storedLimit(category, seconds, { receivedAt: NOW, ...more })

export const item = (type: string, payload: unknown = {}): string => `\n{"type":"${type}"}\n${JSON.stringify(payload)}`

/** A record as intake stores it. */
export function record(body: string, endpoint: Endpoint = 'envelope') {
  const bytes = Buffer.from(body)
  const framed = valueIn(parseRecord(endpoint, bytes))
  return submission({ receivedAt: NOW, endpoint, body: bytes, quantities: framed.items.map(quantityOf) })
}

/** The prepared record, with its body as text. */
export async function prepared(body: string, rateLimits: readonly StoredLimit[], more: Partial<Preparing> = {}) {
  const clock = { now: () => NOW, monotonic: () => 0 }
  const done = await prepare({
    record: record(body),
    upstream: dsn,
    rateLimits: new RateLimits(rateLimits, clock),
    holdErrors: false,
    scrub: null,
    now: NOW,
    uptime: { boot: 'now', uptimeMs: 0 },
    ...more,
  })
  return done.kind === 'post' ? { ...done, body: Buffer.from(done.body).toString() } : done
}
