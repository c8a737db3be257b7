import type { StackFrame } from '../../lib/wire/event'
import { Breakable } from '../ui/breakable'
import { printable } from '../ui/printable'
import styles from './frame-detail.module.css'
import { LongMessage } from './long-message'

/** More variables of one call are in the payload. */
const MOST_VARS = 50

/** What an SDK sent of one call: the lines around it and its local variables, as text. */
export function FrameDetail({ frame }: { readonly frame: StackFrame }) {
  const vars = Object.entries(frame.vars ?? {})
  return (
    <div className={styles.detail}>
      {frame.source.length > 0 && (
        <ol className={styles.source} aria-label="Source">
          {frame.source.map(({ line, text, ran }, at) => (
            <li key={`${at} ${line}`} data-ran={ran}>
              <span className={styles.number}>
                {ran && <span aria-hidden="true">▸ </span>}
                {ran && <span className="visually-hidden">this line ran: </span>}
                {line}
              </span>
              <code>{printable(text, 'lines')}</code>
            </li>
          ))}
        </ol>
      )}
      {vars.length > 0 && (
        <table className={styles.vars}>
          <caption>Local variables</caption>
          <tbody>
            {vars.slice(0, MOST_VARS).map(([name, value]) => (
              <tr key={name}>
                <th scope="row">
                  <Breakable name={name} />
                </th>
                <td>
                  <LongMessage text={typeof value === 'string' ? value : JSON.stringify(value)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {vars.length > MOST_VARS && <p className="faint">{vars.length - MOST_VARS} more are in the payload.</p>}
    </div>
  )
}
