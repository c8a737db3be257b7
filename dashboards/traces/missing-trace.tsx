'use client'

import { hex32 } from '../../lib/protocol/ids'
import type { SignalRow } from '../../lib/wire/signal'
import { printable } from '../ui/printable'
import { SignalLines } from './panel-lists'
import styles from './trace-board.module.css'

interface MissingTraceProps {
  readonly traceId: string
  /** Signals of the trace. A trace that was not sampled has no spans, but may have logs. */
  readonly signals: readonly SignalRow[]
}

/** Says why a trace may not be here, and what to do. */
export function MissingTrace({ traceId, signals }: MissingTraceProps) {
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
