'use client'

import { formatBytes } from '../../lib/format'
import type { Overview } from '../../lib/wire/overview'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { ItemChips, Received } from '../ui/received'
import styles from './last-envelope.module.css'

/** The last envelope, and what became of it; before the first, what to expect. */
export function LastEnvelope({ overview }: { readonly overview: Overview | null }) {
  if (overview === null) return <p className={styles.last}>Reading …</p>
  const { last } = overview
  if (last === null) {
    return (
      <p className={styles.last} data-waiting>
        Nothing has arrived yet. Your own visit is the first: this page’s load appears here about two seconds after it
        began. After that, <a href="/lab">the lab</a> can cause anything else.
      </p>
    )
  }
  return (
    <p className={styles.last} data-last-envelope={last.seq}>
      <span className="faint">Last</span>
      <a className="num" href={`/envelopes/${last.seq}`}>
        envelope {last.seq}
      </a>
      <Age atMs={last.receivedAt} ago />
      <ItemChips items={last.items} />
      <span className="num faint">{formatBytes(last.bytes)}</span>
      {last.sdk !== null && <Received className={styles.sdk} text={last.sdk} />}
      <DeliveryStatusMark deliveryStatus={last.deliveryStatus} withReason />
      {last.traceId !== null && <a href={`/traces/${last.traceId}`}>its trace</a>}
    </p>
  )
}
