'use client'

import type { ReactNode } from 'react'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import { OneDeadLetter } from '../dead-letters/one-dead-letter'
import { signalsHref } from '../signals/signals-address'
import { Age } from '../ui/age'
import { client } from '../ui/client'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { digestWords } from '../ui/digest-states'
import { formatBytes, plural } from '../ui/quantities'
import { Received } from '../ui/received'
import { DeliveryTimeline } from './delivery-timeline'
import { EnvelopeFacts } from './envelope-facts'
import styles from './envelope-view.module.css'
import { ItemView } from './item-view'
import { signalOfItem } from './signal-of-item'
import type { Course } from './use-envelope'

interface EnvelopeViewProps {
  readonly envelope: EnvelopeDetail
  readonly course: Course
  readonly connection: ReactNode
}

export function EnvelopeView({ envelope, course, connection }: EnvelopeViewProps) {
  const { seq, items, traceId, eventId } = envelope
  const digest = digestWords(envelope.digest)
  const isEvent = eventId !== null && items.some((item) => item.type === 'event')
  return (
    <>
      <header className={styles.heading}>
        <h1 className="num">Envelope {seq}</h1>
        {connection}
        <DeliveryStatusMark deliveryStatus={envelope.deliveryStatus} withReason />
        <Age atMs={envelope.receivedAt} ago />
        <span className="num">{plural(items.length, 'item')}</span>
        {envelope.sdk !== null && <Received className="mono" text={envelope.sdk} />}
        <nav className={styles.links} aria-label="Of this envelope">
          {traceId !== null && <a href={`/traces/${encodeURIComponent(traceId)}`}>its trace</a>}
          {isEvent && <a href={`/events/${encodeURIComponent(eventId)}`}>its event</a>}
          <a href={client.rawUrl(seq)}>the bytes ({formatBytes(envelope.bytes)})</a>
        </nav>
      </header>
      {envelope.endpoint === 'stream' && (
        <p className="banner">
          <strong>A second copy made by the SDK:</strong> shown, never relayed; use the <a href="/">local DSN</a>{' '}
          instead. What the SDK sends to its own DSN may differ: the copy is made before limits and overflow.
        </p>
      )}
      {(envelope.digest === 'undigested' || envelope.digest === 'evicted') && (
        <p className="banner warn">
          <strong>{envelope.digest === 'evicted' ? 'Its rows are gone.' : 'Undigested.'}</strong> {digest.means} It
          therefore shows in no trace.
        </p>
      )}
      <OneDeadLetter
        key={seq}
        seq={seq}
        isDead={envelope.deliveryStatus.name === 'pending' && envelope.deliveryStatus.reason === 'dead_letter'}
        isSettled={envelope.deliveryStatus.name !== 'pending'}
      />
      <div className={styles.columns}>
        <section className={styles.items} aria-label="Items">
          {items.map((item) => (
            <ItemView key={item.index} item={item} many={items.length > 1} signals={signalsOf(envelope, item)} />
          ))}
          {items.length === 0 && <p className="small soft">It carries no items.</p>}
        </section>
        <aside className={styles.side} aria-label="About this envelope">
          <DeliveryTimeline envelope={envelope} course={course} />
          <EnvelopeFacts envelope={envelope} />
        </aside>
      </div>
    </>
  )
}

/** Where the signals of an item are listed, once its rows are written. */
function signalsOf(envelope: EnvelopeDetail, item: EnvelopeDetail['items'][number]): string | null {
  const kind = signalOfItem(item.type)
  if (kind === null || envelope.digest !== 'digested' || item.problem !== null) return null
  return signalsHref(kind, { envelope: String(envelope.seq) })
}
