'use client'

import { StatusLine } from '../../../dashboards/shell/status-line'
import { ConnectionBanner, ConnectionState, Empty, FirstSteps } from '../../../dashboards/ui/board'
import { useNow } from '../../../dashboards/ui/clock'
import { StatusBanner } from '../../../dashboards/ui/status-banner'
import type { LiveState } from '../../../dashboards/ui/use-live'
import type { Figures } from '../../../lib/wire/figures'
import type { Status } from '../../../lib/wire/overview'
import styles from './components.module.css'

const LIVE_STATES: readonly LiveState[] = [
  { connection: 'connecting', failure: null },
  { connection: 'live', failure: null },
  { connection: 'reconnecting', failure: null },
  { connection: 'unreachable', failure: { kind: 'unreachable' } },
]
const FAILURES: readonly LiveState[] = [
  { connection: 'unreachable', failure: { kind: 'unreachable' } },
  { connection: 'live', failure: { kind: 'refused', status: 401, detail: 'authentication required: pass the token' } },
  { connection: 'live', failure: { kind: 'unreadable', detail: 'the answer is no JSON object' } },
]

/** Connection states, banners for failures, and an empty list. */
export function LiveStates() {
  return (
    <section className={styles.section} aria-label="Live states">
      <h2>Live states</h2>
      <div className="row">
        {LIVE_STATES.map((state) => (
          <ConnectionState key={state.connection} {...state} />
        ))}
      </div>
      {FAILURES.map((state) => (
        <ConnectionBanner key={state.failure?.kind} {...state} />
      ))}
      <div className={styles.framed}>
        <Empty title="No traces yet" what="list">
          <FirstSteps lab=" and send a trace." />
        </Empty>
      </div>
    </section>
  )
}

const upstream = (label: string, state: Status['upstreams'][number]['state'], nowMs: number) => ({
  label,
  state,
  pending: 12,
  open: 12,
  deadLetters: 1,
  deferred: 0,
  retryAt: nowMs + 20_000,
  paused: state === 'paused' ? { since: nowMs - 60_000, status: 403, answer: 'project disabled' } : null,
  last: { at: nowMs, status: null, error: 'ECONNREFUSED' },
  standIn: false,
})

/** Each line of the banner that a page can have. */
const statusAt = (nowMs: number): Status => ({
  now: nowMs,
  storage: { state: 'full', trouble: null },
  holdErrors: true,
  shown: 'checkout e2e, 13:40',
  run: 'checkout e2e',
  localDsn: null,
  upstreams: [upstream('sentry.test/1', 'paused', nowMs), upstream('sentry.test/2', 'backing_off', nowMs)],
  stranded: [{ publicKey: 'abc', project: '7', records: 3 }],
  script: 'answers 429 twice',
  limits: [limitAt(nowMs)],
})

const limitAt = (nowMs: number): Status['limits'][number] => ({
  upstream: 'sentry.test/1',
  category: 'log_item',
  receivedAt: nowMs,
  until: nowMs + 38_000,
  reason: null,
  scope: 'project',
  sourceSeq: null,
  cut: 12,
})

const figuresAt = (nowMs: number): Figures => ({
  now: nowMs,
  since: nowMs - 900_000,
  navigation: {
    ...{ traces: 214, errors: 9, newGroups: 2, logs: 3108, envelopes: 1284, openDeliveries: 34, losses: [] },
    ...{ refused: 0, activeLimits: 1, storageUsed: 4, contract: null, runs: 3 },
  },
  line: {
    ...{ apps: 3, received: 1284, stored: 1283, accepted: 1236, pending: 34, limited: 14, lost: 2 },
    lastEnvelope: nowMs - 2000,
    unexplained: [],
  },
  projects: ['1'],
  own: 0,
  isPart: false,
  minutes: null,
})

function unexplainedAt(nowMs: number): Figures {
  const figures = figuresAt(nowMs)
  return { ...figures, line: { ...figures.line, unexplained: [{ category: 'error', quantity: 2 }] } }
}

/** The banner of every page with each of its lines, and the status line: full, with a ledger that does not balance, before the first answer, without one. */
export function StatusLines() {
  const nowMs = useNow()
  const nothing = { onKeys: () => undefined }
  const lines = [
    { id: 'full', figures: figuresAt(nowMs), status: { status: statusAt(nowMs), aheadMs: 0 }, failure: null },
    { id: 'unexplained', figures: unexplainedAt(nowMs), status: null, failure: null },
    { id: 'connecting', figures: null, status: null, failure: null },
    { id: 'unreachable', figures: figuresAt(nowMs), status: null, failure: { kind: 'unreachable' } },
  ] as const
  return (
    <section className={styles.section} aria-label="Banners and status line">
      <h2>Banners and status line</h2>
      <StatusBanner read={{ status: statusAt(nowMs), aheadMs: 0 }} />
      {lines.map(({ id, ...line }) => (
        <div key={id} className={styles.foot} data-status-sample={id}>
          <StatusLine {...line} {...nothing} />
        </div>
      ))}
    </section>
  )
}
