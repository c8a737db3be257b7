import { hex32 } from '../../../lib/protocol/ids'
import { printable } from '../../words/printable'
import styles from './missing-trace.module.css'

/** What was looked for, and why it may still come. */
export function MissingTrace({ traceId }: { readonly traceId: string }) {
  const wellFormed = hex32(traceId) !== null
  return (
    <div className={styles.missing}>
      <h1>{wellFormed ? 'This trace is not here yet' : 'This is not a trace id'}</h1>
      {wellFormed ? (
        <>
          <p>
            Looked for <code>{printable(traceId)}</code>.
          </p>
          <p>
            Telemetry may still be on its way: a browser sends a page load about two seconds after it began, and a span
            only once it has ended. When it arrives it appears here by itself.
          </p>
          <p className="soft">
            If it was here before, the data folder is another one now. See all <a href="/traces">traces</a>.
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
