import { type Dsn, formatDsn } from '../../lib/protocol/dsn'
import type { Discard, SubmissionFacts } from '../spool/submission'

/** Nobody's request: there is nothing to pass on. */
export const OWN_FACTS: SubmissionFacts = {
  method: 'POST',
  contentType: null,
  contentEncoding: null,
  userAgent: null,
  clientHints: {},
  origin: null,
  forwardedFor: null,
  page: null,
  lab: false,
}

/**
 * A client report of our own, as an envelope (Sentry's "Client Reports"): by the upstream's own DSN, with the time at
 * which it is sent.
 * @param now ms since the epoch.
 */
export function clientReport(upstream: Dsn, discards: readonly Discard[], now: number): Uint8Array {
  const discarded = discards.map(({ reason, category, quantity }) => ({ reason, category, quantity }))
  const lines = [
    { dsn: formatDsn(upstream), sent_at: new Date(now).toISOString() },
    { type: 'client_report' },
    { timestamp: now / 1000, discarded_events: discarded },
  ]
  return new TextEncoder().encode(lines.map((line) => JSON.stringify(line)).join('\n'))
}
