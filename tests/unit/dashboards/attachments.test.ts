import { expect, it } from 'vitest'
import { attachmentsOf } from '../../../dashboards/errors/attachment-list'
import type { EnvelopeDetail } from '../../../lib/wire/envelope'

const item = (index: number, type: string, header: Record<string, unknown>): EnvelopeDetail['items'][number] => ({
  index,
  type,
  category: type,
  quantity: 1,
  bytes: 12,
  deliveryStatus: { name: 'kept', reason: null },
  problem: null,
  header,
  text: null,
  truncated: false,
})

it('the attachments of an event are those of its envelope, with names and types if present', () => {
  const items = [
    item(0, 'event', {}),
    item(1, 'attachment', { filename: 'state.json', content_type: 'application/json' }),
    item(2, 'attachment', { filename: 7, attachment_type: 'event.minidump' }),
    item(3, 'attachment', { filename: '', content_type: null }),
  ]
  expect(attachmentsOf({ items }).map(({ item: at, file, type }) => [at, file, type])).toEqual([
    [1, 'state.json', 'application/json'],
    [2, 'unnamed file', 'event.minidump'],
    [3, 'unnamed file', null],
  ])
})
