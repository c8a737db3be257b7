'use client'

import { lazy, Suspense } from 'react'
import { hex32 } from '../../lib/protocol/ids'
import type { SignalRow } from '../../lib/wire/signal'
import { ConnectionBanner, ConnectionState } from '../ui/board'
import { printable } from '../ui/printable'
import { DroppedFile } from './dropped-file'
import styles from './trace-board.module.css'
import { TraceView } from './trace-view'
import { useTrace } from './use-trace'

const SignalLines = lazy(() => import('./detail-panel').then((module) => ({ default: module.SignalLines })))

/** An invalid id is not queried. */
export function TraceBoard({ traceId }: { readonly traceId: string }) {
  return (
    <DroppedFile>
      {() =>
        hex32(traceId) === null ? (
          <MissingTrace traceId={traceId} signals={[]} />
        ) : (
          <OneTrace key={traceId} traceId={traceId} />
        )
      }
    </DroppedFile>
  )
}

function OneTrace({ traceId }: { readonly traceId: string }) {
  const { trace, signals, readSegment, ...live } = useTrace(traceId)
  return (
    <div className={styles.board}>
      <ConnectionBanner {...live} />
      {trace === undefined && live.failure === null && <p className={styles.note}>Loading …</p>}
      {trace === null && <MissingTrace traceId={traceId} signals={signals} />}
      {trace && (
        <TraceView
          trace={trace}
          signals={signals}
          readSegment={readSegment}
          connection={<ConnectionState {...live} />}
        />
      )}
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
              <Suspense fallback={null}>
                <SignalLines signals={signals} originUs={first.timestampUs} none="" />
              </Suspense>
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
