import type { SignalRow } from '../../lib/wire/signal'
import { levelTone } from '../signals/level-tone'
import { kindWords } from '../signals/signal-kinds'
import { signalsHref } from '../signals/signals-address'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { formatDuration } from '../ui/quantities'
import { Received } from '../ui/received'
import { formatMoment, withSign } from '../ui/times'
import styles from './signal-lines.module.css'

interface SignalLinesProps {
  readonly signals: readonly SignalRow[]
  /** Times are told as distance from here. */
  readonly originUs: number
  readonly none: string
}

/** Logs, metrics and the like that name a trace, in time order. */
export function SignalLines({ signals, originUs, none }: SignalLinesProps) {
  if (signals.length === 0) return <p className="small soft">{none}</p>
  return (
    <table className={styles.signals} aria-label="Signals of this trace, oldest first">
      <tbody>
        {signals.map((signal) => (
          <tr key={`${signal.kind} ${signal.key}`} data-signal={signal.key}>
            <td className={styles.time} title={formatMoment(signal.timestampUs / 1000)}>
              {withSign(formatDuration(signal.timestampUs - originUs), signal.timestampUs - originUs)}
            </td>
            <th scope="row" data-tone={levelTone(signal.level)}>
              <Received text={signal.level ?? kindWords(signal.kind).one} />
            </th>
            <td>
              <a href={signalsHref(signal.kind, { envelope: String(signal.seq), open: signal.key })}>
                <Received text={signal.name === '' ? kindWords(signal.kind).one : signal.name} />
              </a>
            </td>
            <td className={styles.deliveryStatus}>
              <DeliveryStatusMark deliveryStatus={signal.deliveryStatus} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
