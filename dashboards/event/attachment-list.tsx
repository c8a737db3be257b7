'use client'

import type { EventDetail } from '../../lib/wire/event'
import { signalsHref } from '../signals/signals-address'
import { client } from '../ui/client'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { formatBytes, plural } from '../ui/quantities'
import { Received } from '../ui/received'
import styles from './attachment-list.module.css'
import { useAttachments } from './use-attachments'

/** The files that came with the event; nothing where there are none. */
export function AttachmentList({ event }: { readonly event: EventDetail }) {
  const { attachments, failed } = useAttachments(event.seq)
  if (failed) return <p className="small soft">Whether files came with it cannot be read just now.</p>
  if (attachments.length === 0) return null
  return (
    <section aria-labelledby="attachments">
      <h2 id="attachments">{plural(attachments.length, 'attachment')}</h2>
      <ul className={styles.list}>
        {attachments.map(({ item, file, type, bytes, deliveryStatus }) => (
          <li key={item}>
            <Received className="mono" text={file} />
            {type !== null && <Received className="faint" text={type} />}
            <span className="num">{formatBytes(bytes)}</span>
            <DeliveryStatusMark deliveryStatus={deliveryStatus} />
          </li>
        ))}
      </ul>
      <p className="small">
        <a href={client.rawUrl(event.seq)}>The bytes of their envelope</a> ·{' '}
        <a href={signalsHref('attachment', { envelope: String(event.seq) })}>among the signals</a>
      </p>
    </section>
  )
}
