'use client'

import type { DeliveryStatus } from '../../lib/wire/delivery-status'
import type { SignalRow } from '../../lib/wire/signal'
import { levelTone } from '../signals/signal-columns'
import { kindText } from '../signals/signal-kinds'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { signalsHref } from '../ui/links'
import { Received } from '../ui/received'
import { formatClock, formatDateTime, formatOffset } from '../ui/times'
import styles from './detail-panel.module.css'
import type { TraceData } from './trace-data'

export { BreadcrumbList } from '../events/breadcrumb-list'

/** How the parts of a trace were received and relayed. */
export function DeliveryList({ trace }: { readonly trace: TraceData }) {
  return (
    <ul className={styles.list}>
      {carriers(trace).map((carrier) => (
        <li key={`${carrier.seq}/${carrier.item}`}>
          <p className={styles.line}>
            <span className={styles.kind}>{carrier.kind}</span>
            <Received text={carrier.name} />
          </p>
          <p className={styles.facts}>
            <DeliveryStatusMark deliveryStatus={carrier.deliveryStatus} withReason />
            <Step name="received" at={carrier.receivedAt} />
            {carrier.relayed === true ? (
              <span title="The page of the envelope shows when.">relayed</span>
            ) : (
              <Step name="relayed" at={carrier.relayed} />
            )}
            <a href={`/envelopes/${carrier.seq}`}>envelope {carrier.seq}</a>
          </p>
        </li>
      ))}
    </ul>
  )
}

function Step({ name, at }: { readonly name: string; readonly at: number | null }) {
  if (at === null) return null
  return (
    <span className="num" title={formatDateTime(at)}>
      {name} {formatClock(at)}
    </span>
  )
}

interface Carrier {
  readonly kind: 'segment' | 'error'
  readonly name: string
  readonly seq: number
  readonly item: number
  readonly deliveryStatus: DeliveryStatus
  readonly receivedAt: number
  /** When it was relayed; `true` if the time is unknown; `null` if it was not relayed. */
  readonly relayed: number | true | null
}

export function carriers({ segments, errors }: Pick<TraceData, 'segments' | 'errors'>): readonly Carrier[] {
  const sent = new Map(segments.map((segment) => [segment.seq, segment.relayedAt]))
  const all: Carrier[] = [
    ...segments.map((segment) => ({
      kind: 'segment' as const,
      ...segment,
      relayed: segment.relayedAt,
    })),
    ...errors.map((error) => ({
      kind: 'error' as const,
      ...error,
      name: error.title,
      // The answer covered the whole envelope. Only upstream sets the status accepted, so the item was relayed.
      relayed: sent.get(error.seq) ?? (error.deliveryStatus.name === 'accepted' ? (true as const) : null),
    })),
  ]
  return all.sort((a, b) => a.seq - b.seq || a.item - b.item)
}

interface SignalLinesProps {
  readonly signals: readonly SignalRow[]
  readonly originUs: number
  readonly none: string
}

export function SignalLines({ signals, originUs, none }: SignalLinesProps) {
  if (signals.length === 0) return <p className="small soft">{none}</p>
  return (
    <table className={styles.signals} aria-label="Signals of this trace, oldest first">
      <tbody>
        {signals.map((signal) => (
          <tr key={`${signal.kind} ${signal.key}`} data-signal={signal.key}>
            <td className={styles.time} title={formatDateTime(signal.timestampUs / 1000)}>
              {formatOffset(signal.timestampUs - originUs)}
            </td>
            <th scope="row" data-tone={levelTone(signal.level)}>
              <Received text={signal.level ?? kindText(signal.kind).one} />
            </th>
            <td>
              <a href={signalsHref(signal.kind, { envelope: String(signal.seq), open: signal.key })}>
                <Received text={signal.name === '' ? kindText(signal.kind).one : signal.name} />
              </a>
            </td>
            <td className={styles.status}>
              <DeliveryStatusMark deliveryStatus={signal.deliveryStatus} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
