import type { EnvelopeDetail } from '../../lib/wire/envelope'
import type { Fate } from '../../lib/wire/fate'

export interface Attachment {
  /** Place in the envelope. */
  readonly item: number
  readonly file: string
  /** Media type, or what the attachment is for (`event.minidump`), as received. */
  readonly type: string | null
  readonly bytes: number
  readonly fate: Fate
}

/** The files that came with an event: an attachment belongs to the event whose envelope it is in. */
export function attachmentsOf({ items }: Pick<EnvelopeDetail, 'items'>): readonly Attachment[] {
  return items
    .filter((item) => item.type === 'attachment')
    .map(({ index, header, bytes, fate }) => ({
      item: index,
      file: text(header.filename) ?? 'without a name',
      type: text(header.content_type) ?? text(header.attachment_type),
      bytes,
      fate,
    }))
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
