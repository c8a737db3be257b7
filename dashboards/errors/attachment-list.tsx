'use client'

import { formatBytes, plural } from '../../lib/format'
import type { DeliveryStatus } from '../../lib/wire/delivery-status'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import type { EventDetail } from '../../lib/wire/event'
import { client } from '../ui/client'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { signalsHref } from '../ui/links'
import { Received } from '../ui/received'
import styles from './side.module.css'

/** The files of an event. @param envelope `null` until it is read */
export function AttachmentList({ event, envelope }: AttachmentListProps) {
  const attachments = envelope === null ? [] : attachmentsOf(envelope)
  if (attachments.length === 0) return null
  return (
    <section aria-labelledby="attachments">
      <h2 id="attachments">{plural(attachments.length, 'attachment')}</h2>
      <ul className={styles.list}>
        {attachments.map(({ item, file, type, bytes, deliveryStatus }) => (
          <li key={item}>
            <Received className="mono" text={file} />
            {type !== null && <Received className="faint" text={type} />}
            <span className={`num ${styles.end}`}>{formatBytes(bytes)}</span>
            <DeliveryStatusMark deliveryStatus={deliveryStatus} />
          </li>
        ))}
      </ul>
      <p className="small">
        <a href={client.rawUrl(event.seq)}>Raw envelope</a> ·{' '}
        <a href={signalsHref('attachment', { envelope: String(event.seq) })}>in signals</a>
      </p>
    </section>
  )
}

interface AttachmentListProps {
  readonly event: EventDetail
  readonly envelope: EnvelopeDetail | null
}

interface Attachment {
  /** Index of the item in the envelope. */
  readonly item: number
  readonly file: string
  /** Content type, or the attachment type (`event.minidump`), as received. */
  readonly type: string | null
  readonly bytes: number
  readonly deliveryStatus: DeliveryStatus
}

export function attachmentsOf({ items }: Pick<EnvelopeDetail, 'items'>): readonly Attachment[] {
  return items
    .filter((item) => item.type === 'attachment')
    .map(({ index, header, bytes, deliveryStatus }) => ({
      item: index,
      file: text(header.filename) ?? 'unnamed file',
      type: text(header.content_type) ?? text(header.attachment_type),
      bytes,
      deliveryStatus,
    }))
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
