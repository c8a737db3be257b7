import type { Random } from '../faults/random'
import { errorEnvelope, spanEnvelope, transactionEnvelope } from '../flow/envelopes'

/** As an upstream's DSN: the collector compares only key and project. */
const DSN = 'http://bench@127.0.0.1/1'
const AT = '2026-11-20T10:00:00.000Z'

/**
 * An envelope as SDKs send them: errors, transactions, streamed spans, logs, sessions and, one in fifty, an attachment.
 * @param number selects the kind
 */
export function mixedEnvelope(draw: Random, number: number): string {
  const kind = (number % 50) / 50
  if (kind < 0.3) return errorEnvelope(DSN, { message: `soak ${draw.between(1, 500)}`, breadcrumbs: 20 }).body
  if (kind < 0.5) return transactionEnvelope(DSN, { children: draw.between(1, 30) }).body
  if (kind < 0.65) return spanEnvelope(DSN, { children: draw.between(1, 30) }).body
  const items = kind < 0.8 ? logs(draw) : kind < 0.98 ? session(draw) : attachment(draw)
  return [JSON.stringify({ dsn: DSN, sent_at: AT }), ...items].join('\n')
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
  const one = { sid, init: true, started: AT, timestamp: AT, status: 'ok', errors: 0, attrs: { release: 'soak@1' } }
  return [JSON.stringify({ type: 'session' }), JSON.stringify(one)]
}

function attachment(draw: Random): readonly string[] {
  const text = draw.bytes(draw.between(5000, 60_000)).toString('base64')
  return [JSON.stringify({ type: 'attachment', length: text.length, filename: 'soak.txt' }), text]
}
