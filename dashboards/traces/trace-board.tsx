'use client'

import { useState } from 'react'
import { hex32 } from '../../lib/protocol/ids'
import type { SignalRow } from '../../lib/wire/signal'
import type { TraceDetail } from '../../lib/wire/trace'
import { ConnectionBanner, ConnectionState } from '../ui/board'
import { client } from '../ui/client'
import { printable } from '../ui/printable'
import { type LiveState, useLive } from '../ui/use-live'
import { SignalLines } from './detail-panel'
import styles from './trace-board.module.css'
import { TraceView } from './trace-view'

/** An invalid id is not queried. */
export function TraceBoard({ traceId }: { readonly traceId: string }) {
  return hex32(traceId) === null ? <MissingTrace traceId={traceId} signals={[]} /> : <OneTrace traceId={traceId} />
}

function OneTrace({ traceId }: { readonly traceId: string }) {
  const { trace, signals, ...live } = useTrace(traceId)
  return (
    <div className={styles.board}>
      <ConnectionBanner {...live} />
      {trace === undefined && live.failure === null && <p className={styles.note}>Loading …</p>}
      {trace === null && <MissingTrace traceId={traceId} signals={signals} />}
      {trace && <TraceView trace={trace} signals={signals} connection={<ConnectionState {...live} />} />}
    </div>
  )
}

interface MissingTraceProps {
  readonly traceId: string
  /** Signals of the trace. A trace that was not sampled has no spans, but may have logs. */
  readonly signals: readonly SignalRow[]
}

function MissingTrace({ traceId, signals }: MissingTraceProps) {
  const wellFormed = hex32(traceId) !== null
  const [first] = signals
  return (
    <div className={styles.missing}>
      <h1>{wellFormed ? 'This trace has not arrived' : 'Not a trace id'}</h1>
      {wellFormed ? (
        <>
          <p>
            Trace <code>{printable(traceId)}</code>
          </p>
          {first !== undefined && (
            <section aria-labelledby="signals">
              <h2 id="signals">Signals of this trace, which has no spans or errors here</h2>
              <SignalLines signals={signals} originUs={first.timestampUs} none="" />
            </section>
          )}
          <p>
            It may still arrive: a browser sends a page load about two seconds after it started, and a span only after
            it ended. The page then updates automatically.
          </p>
          <p>
            Its SDK may never have sent it: it was not sampled, or the page was sent a rate limit (see{' '}
            <a href="/limits">limits</a>, and <a href="/losses">losses</a> for what SDKs report as discarded).
          </p>
          <p className="soft">
            It may have been evicted or cleared (see <a href="/storage">storage</a>), or the collector uses another data
            folder now. See all <a href="/traces">traces</a>.
          </p>
        </>
      ) : (
        <p>
          <code>{printable(traceId)}</code> is not a trace id, which has 32 hexadecimal digits. See all{' '}
          <a href="/traces">traces</a>.
        </p>
      )}
    </div>
  )
}

interface TraceState extends LiveState {
  /** `undefined` until the first read; `null` when no such trace is recorded yet. */
  readonly trace: TraceDetail | null | undefined
  /** Its signals, oldest first. A trace without spans may have some. */
  readonly signals: readonly SignalRow[]
}

/** Reads a trace as it grows. Keeps the last result while the collector is unreachable. */
function useTrace(traceId: string): TraceState {
  const [trace, setTrace] = useState<TraceDetail | null | undefined>(undefined)
  const [signals, setSignals] = useState<readonly SignalRow[]>([])
  const live = useLive({
    read: async (signal) => {
      const [read, found] = await Promise.all([client.trace(traceId, signal), client.signalsOfTrace(traceId, signal)])
      setSignals((before) => (read === null && found.signals.length === 0 ? before : found.signals))
      setTrace((before) => (read === null ? (before ?? null) : keepUnchanged(before ?? null, read)))
    },
    concerns: (fact) => fact.kind !== 'received' && fact.kind !== 'refused',
  })
  return { ...live, trace, signals }
}

/** Returns the earlier object when nothing changed, so that nothing renders again. */
function keepUnchanged(before: TraceDetail | null, now: TraceDetail): TraceDetail {
  return before !== null && signature(before) === signature(now) ? before : now
}

/** Everything that can change in a trace: further submissions and delivery statuses. */
function signature(trace: TraceDetail): string {
  const { summary, segments, spans, errors, breadcrumbs, truncated } = trace
  return JSON.stringify([
    summary.traceId,
    summary.lastSeq,
    summary.copy,
    summary.deliveryStatus,
    spans.length,
    breadcrumbs.length,
    truncated,
    segments.map((segment) => [segment.segmentId, segment.deliveryStatus, segment.relayedAt, segment.copy]),
    errors.map((error) => [error.eventId, error.deliveryStatus, error.copy]),
  ])
}
