'use client'

import { useState } from 'react'
import { hex32 } from '../../lib/protocol/json'
import type { SignalRow } from '../../lib/wire/signal'
import type { TraceDetail } from '../../lib/wire/trace'
import { ConnectionBanner, ConnectionState } from '../ui/board'
import { client } from '../ui/client'
import { printable } from '../ui/printable'
import { type LiveState, useLive } from '../ui/use-live'
import { SignalLines } from './detail-panel'
import styles from './trace-board.module.css'
import { TraceView } from './trace-view'

/** What cannot be an id is not asked for: no answer would make it one. */
export function TraceBoard({ traceId }: { readonly traceId: string }) {
  return hex32(traceId) === null ? <MissingTrace traceId={traceId} signals={[]} /> : <OneTrace traceId={traceId} />
}

/** `/traces/{id}`: everything that came of one trace, on one time axis, growing while it is looked at. */
function OneTrace({ traceId }: { readonly traceId: string }) {
  const { trace, signals, ...live } = useTrace(traceId)
  return (
    <div className={styles.board}>
      <ConnectionBanner {...live} />
      {trace === undefined && live.failure === null && <p className={styles.note}>Reading …</p>}
      {trace === null && <MissingTrace traceId={traceId} signals={signals} />}
      {trace && <TraceView trace={trace} signals={signals} connection={<ConnectionState {...live} />} />}
    </div>
  )
}

interface MissingTraceProps {
  readonly traceId: string
  /** A trace that was not sampled has no spans, and yet its logs name it. */
  readonly signals: readonly SignalRow[]
}

/** What was looked for, and why it may still come. */
function MissingTrace({ traceId, signals }: MissingTraceProps) {
  const wellFormed = hex32(traceId) !== null
  const [first] = signals
  return (
    <div className={styles.missing}>
      <h1>{wellFormed ? 'This trace is not here yet' : 'This is not a trace id'}</h1>
      {wellFormed ? (
        <>
          <p>
            Looked for <code>{printable(traceId)}</code>.
          </p>
          {first !== undefined && (
            <section aria-labelledby="said">
              <h2 id="said">No span and no error of it is here, but this names it</h2>
              <SignalLines signals={signals} originUs={first.timestampUs} none="" />
            </section>
          )}
          <p>
            Telemetry may still be on its way: a browser sends a page load about two seconds after it began, and a span
            only once it has ended. When it arrives it appears here by itself.
          </p>
          <p>
            Its SDK may never have sent it: it was sampled out, or a limit was told to its page (see{' '}
            <a href="/limits">limits</a>, and <a href="/losses">losses</a> for what SDKs say they discarded).
          </p>
          <p className="soft">
            If it was here before, it made room for newer ones or was cleared (see <a href="/storage">storage</a>), or
            the data folder is another one now. See all <a href="/traces">traces</a>.
          </p>
        </>
      ) : (
        <p>
          <code>{printable(traceId)}</code> is no trace id: 32 hexadecimal digits are meant. See all{' '}
          <a href="/traces">traces</a>.
        </p>
      )}
    </div>
  )
}

export interface TraceState extends LiveState {
  /** `undefined` until it was read once; `null` when no such trace is recorded (yet). */
  readonly trace: TraceDetail | null | undefined
  /** What was said in it besides spans and errors, in the order of time; there may be some of a trace without spans. */
  readonly signals: readonly SignalRow[]
}

/** One trace, growing as more of it arrives. What was shown stays when the collector goes away. */
function useTrace(traceId: string): TraceState {
  const [trace, setTrace] = useState<TraceDetail | null | undefined>(undefined)
  const [signals, setSignals] = useState<readonly SignalRow[]>([])
  const live = useLive({
    read: async (signal) => {
      const [read, said] = await Promise.all([client.trace(traceId, signal), client.signalsOfTrace(traceId, signal)])
      setSignals((before) => (read === null && said.signals.length === 0 ? before : said.signals))
      setTrace((before) => (read === null ? (before ?? null) : keepUnchanged(before ?? null, read)))
    },
    concerns: (fact) => fact.kind !== 'received' && fact.kind !== 'refused',
  })
  return { ...live, trace, signals }
}

/** The trace read before, when reading again told nothing new: what is painted from it stays as it is. */
function keepUnchanged(before: TraceDetail | null, now: TraceDetail): TraceDetail {
  return before !== null && signature(before) === signature(now) ? before : now
}

/** Whatever can change of a trace: more submissions, and what became of the ones that are here. */
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
