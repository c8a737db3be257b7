import { describe, expect, it } from 'vitest'
import { recordPage } from '../../../lib/diagnostics/record-page'
import type { VisitorDetail } from '../../../lib/wire/visitor'

const KEPT = { name: 'kept', reason: 'local_only' } as const

/** The page of a record with one item of this text. */
function page(text: string, category = 'error'): string {
  const item = {
    ...{ index: 0, type: 'event', category, quantity: 1, bytes: text.length, deliveryStatus: KEPT, problem: null },
    ...{ header: {}, text, truncated: false },
  }
  const record: VisitorDetail['record'] = {
    ...{ seq: 7, journal: 9, receivedAt: 0, digestedAt: 1, relayedAt: null, endpoint: 'tunnel', project: '1' },
    ...{ publicKey: 'k', sdk: null, eventId: null, traceId: null, environment: null, own: false, page: null },
    ...{ bytes: 10, stamp: null, digest: 'digested', deliveryStatus: KEPT, deliveries: 0, lastDelivery: null },
    ...{ header: {}, items: [item], attempts: [] },
    facts: {
      ...{ method: 'POST', contentType: null, contentEncoding: null, userAgent: null, origin: null },
      ...{ receipt: 'r', page: null, lab: false },
    },
  }
  return recordPage({ record, newer: null, older: null }, '/diagnostics').text
}

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('a record in full', () => {
  it('is indented up to 20 levels and 32 KiB, and else shown as it was sent', () => {
    expect(page(nested(20))).toContain('\n  [\n    [')
    expect(page(nested(21))).toContain(nested(21))
    const long = JSON.stringify({ text: 'x'.repeat(32 * 1024) })
    expect(page(long)).not.toContain('{\n')
    expect(page('{"a":1}')).toContain('{\n  &quot;a&quot;: 1\n}')
  })

  it('stays small for a text of many levels', () => {
    expect(page(nested(100_000)).length).toBeLessThan(210_000)
  })

  it('keeps the name of a category that it does not know', () => {
    expect(page('{}', 'constructor')).toContain('1 record of the kind constructor')
  })
})
