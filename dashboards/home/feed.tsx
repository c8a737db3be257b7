'use client'

import { formatBytes } from '../../lib/format'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { ItemChips, Received } from '../ui/received'
import styles from './feed.module.css'
import { useOverview } from './use-home'

/** The newest arrival. */
export function Feed() {
  return (
    <section className={styles.feed} aria-labelledby="happened">
      <h2 id="happened">What just happened</h2>
      <LastEnvelope />
    </section>
  )
}

function LastEnvelope() {
  const overview = useOverview().answer
  if (overview === null) return <p className={styles.last}>Loading …</p>
  const { last } = overview
  if (last === null) return <p className={styles.last}>Nothing has arrived yet.</p>
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
      {last.traceId !== null && <a href={`/traces/${last.traceId}`}>trace</a>}
    </p>
  )
}
