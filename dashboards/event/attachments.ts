import type { DeliveryStatus } from '../../lib/wire/delivery-status'
import type { EnvelopeDetail } from '../../lib/wire/envelope'

export interface Attachment {
  /** Place in the envelope. */
  readonly item: number
  readonly file: string
  /** Media type, or what the attachment is for (`event.minidump`), as received. */
  readonly type: string | null
  readonly bytes: number
  readonly deliveryStatus: DeliveryStatus
}

/** The files that came with an event: an attachment belongs to the event whose envelope it is in. */
export function attachmentsOf({ items }: Pick<EnvelopeDetail, 'items'>): readonly Attachment[] {
  return items
    .filter((item) => item.type === 'attachment')
    .map(({ index, header, bytes, deliveryStatus }) => ({
      item: index,
      file: text(header.filename) ?? 'without a name',
      type: text(header.content_type) ?? text(header.attachment_type),
      bytes,
      deliveryStatus,
    }))
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
