import type { TraceDetail } from '../../lib/wire/trace'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { Received } from '../ui/received'
import { formatClock, formatMoment } from '../ui/times'
import { carriers } from './carriers'
import styles from './delivery-list.module.css'

/** What brought this trace here, and what became of each: one line per item that carried a part of it. */
export function DeliveryList({ trace }: { readonly trace: TraceDetail }) {
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
              <span title="The page of its envelope says when.">relayed</span>
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
    <span className="num" title={formatMoment(at)}>
      {name} {formatClock(at)}
    </span>
  )
}
