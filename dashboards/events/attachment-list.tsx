'use client'

import { useEffect, useState } from 'react'
import { formatBytes, plural } from '../../lib/format'
import type { DeliveryStatus } from '../../lib/wire/delivery-status'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import type { EventDetail } from '../../lib/wire/event'
import { client, failureOf } from '../ui/client'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { signalsHref } from '../ui/links'
import { Received } from '../ui/received'
import styles from './attachment-list.module.css'

export function AttachmentList({ event }: { readonly event: EventDetail }) {
  const { attachments, failed } = useAttachments(event.seq)
  if (failed) return <p className="small soft">Attachments could not be loaded.</p>
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
        <a href={client.rawUrl(event.seq)}>Raw envelope</a> ·{' '}
        <a href={signalsHref('attachment', { envelope: String(event.seq) })}>in signals</a>
      </p>
    </section>
  )
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

interface AttachmentsRead {
  readonly attachments: readonly Attachment[]
  readonly failed: boolean
}

/** Reads the attachments of an envelope once; received data never changes. */
function useAttachments(seq: number): AttachmentsRead {
  const [read, setRead] = useState<AttachmentsRead>({ attachments: [], failed: false })
  useEffect(() => {
    const aborter = new AbortController()
    client
      .envelope(seq, aborter.signal)
      .then((envelope) => setRead({ attachments: envelope === null ? [] : attachmentsOf(envelope), failed: false }))
      .catch((error: unknown) => {
        if (!aborter.signal.aborted && failureOf(error) !== null) setRead({ attachments: [], failed: true })
      })
    return () => aborter.abort()
  }, [seq])
  return read
}
