import { hex32 } from '../../lib/protocol/ids'
import type { SignalRow } from '../../lib/wire/signal'
import { printable } from '../ui/printable'
import styles from './missing-trace.module.css'
import { SignalLines } from './signal-lines'

interface MissingTraceProps {
  readonly traceId: string
  /** A trace that was not sampled has no spans, and yet its logs name it. */
  readonly signals: readonly SignalRow[]
}

/** What was looked for, and why it may still come. */
export function MissingTrace({ traceId, signals }: MissingTraceProps) {
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
