import { describe, expect, it } from 'vitest'
import { type EnvelopeStatus, lossesInWindow } from '../../../../lib/verdict/expectations/losses-in-window'
import { noLoss } from '../../../../lib/verdict/expectations/no-loss'
import type { DeliveryStatus } from '../../../../lib/wire/delivery-status'
import { BEGIN_S, type Came, envelopeOf, eventOf, evidenceOf } from '../rules/sample-evidence'

const WINDOW = { now: 5, journal: 9, stamp: 'mine' }
const decidedAt = (
  seq: number,
  deliveryStatus: DeliveryStatus,
  items: readonly DeliveryStatus[] = [deliveryStatus],
  status: number | null = null,
): EnvelopeStatus => ({
  seq,
  deliveryStatus,
  lastDelivery: { at: 1, upstream: 'u', status, error: null, answer: null },
  items: items.map((one, index) => ({ index, deliveryStatus: one })),
})
const windowOf = (withStatus: readonly EnvelopeStatus[], ...came: readonly Came[]) =>
  lossesInWindow(evidenceOf(...came), withStatus, WINDOW)

const KEPT: DeliveryStatus = { name: 'kept', reason: null }
const REFUSED: DeliveryStatus = { name: 'rate_limited', reason: 'upstream_429' }
const CUT: DeliveryStatus = { name: 'rate_limited', reason: 'limited' }
const PENDING: DeliveryStatus = { name: 'pending', reason: null }
const DEAD: DeliveryStatus = { name: 'pending', reason: 'dead_letter' }

const report = (...discarded: readonly object[]): string =>
  envelopeOf({}, [{ type: 'client_report' }, { timestamp: BEGIN_S, discarded_events: discarded }])

describe('the losses of a time window', () => {
  it('contain the outcome of each item, with who lost it', () => {
    const spans = [{ type: 'span', item_count: 2 }, { items: [{}, {}] }] as const
    const event = [{ type: 'event' }, { event_id: 'e'.repeat(32) }] as const
    const { losses, withoutStatus } = windowOf(
      [decidedAt(1, REFUSED, [REFUSED, KEPT]), decidedAt(2, CUT), decidedAt(3, PENDING)],
      envelopeOf({}, event, spans),
      eventOf(),
      eventOf(),
    )
    expect(withoutStatus).toBe(0)
    expect(losses).toMatchObject(WINDOW)
    expect(losses.losses).toEqual([
      { by: 'upstream', reason: 'upstream_429', category: 'error', quantity: 1 },
      { by: 'waystation', reason: 'limited', category: 'error', quantity: 1 },
    ])
    expect(losses.categories).toMatchObject([
      { category: 'error', made: 3, received: 3, pending: 1, rate_limited: 2, lost: 2, unexplained: 0 },
      { category: 'span', made: 2, received: 2, kept: 2, lost: 0, unexplained: 0 },
    ])
    expect(noLoss(losses).verdict).toMatchObject({ verdict: 'fail', found: 2 })
  })

  it('contain discards of client reports, by data category', () => {
    const metric = { reason: 'before_send', category: 'metric', quantity: 3 }
    const { losses } = windowOf(
      [decidedAt(1, KEPT)],
      report(metric, { reason: 'ignored', category: 'log_byte', quantity: 9 }),
    )
    expect(losses.categories).toMatchObject([
      { category: 'trace_metric', made: 3, notSent: 3, discarded: 0, lost: 0 },
      { category: 'internal', lost: 0 },
    ])
    expect(losses.losses).toEqual([])
    expect(losses.notSent).toEqual([{ reason: 'before_send', category: 'trace_metric', quantity: 3 }])
  })

  it('are sorted by quantity, and do not count SDK discards as received', () => {
    const accepted: DeliveryStatus = { name: 'accepted', reason: null }
    const dropped: DeliveryStatus = { name: 'dropped', reason: null }
    const { losses } = windowOf(
      [decidedAt(1, accepted), decidedAt(2, KEPT), decidedAt(3, dropped), decidedAt(4, KEPT)],
      eventOf(),
      eventOf(),
      eventOf(),
      report({ reason: 'network_error', category: 'error', quantity: 2 }),
    )
    expect(losses.sentence).toBe(
      'of this part of the record: error: made 5, accepted 1, kept 1, lost 3 (2 network_error, 1 dropped)',
    )
    expect(losses.categories[0]).toMatchObject({ category: 'error', made: 5, discarded: 2, received: 3, lost: 3 })
    expect(losses.losses).toEqual([
      { by: 'sdk', reason: 'network_error', category: 'error', quantity: 2 },
      { by: 'person', reason: 'dropped', category: 'error', quantity: 1 },
    ])
  })

  it('ignore client reports in copies, and logs that look like client reports', () => {
    const discard = { reason: 'sample_rate', category: 'error', quantity: 2 }
    const log = envelopeOf({}, [
      { type: 'log', item_count: 1 },
      {
        items: [
          {
            timestamp: BEGIN_S,
            level: 'info',
            body: 'x',
            attributes: Object.fromEntries(Object.entries(discard).map(([name, value]) => [name, { value }])),
          },
        ],
      },
    ])
    const { losses } = windowOf([decidedAt(1, KEPT)], log, { body: report(discard), endpoint: 'stream' })
    expect(losses).toMatchObject({ categories: [{ category: 'log_item', made: 1, lost: 0 }], losses: [], notSent: [] })
  })

  it('report status 0 for a dead letter without a recorded answer', () => {
    const unknown: EnvelopeStatus = { ...decidedAt(1, DEAD), lastDelivery: null }
    expect(windowOf([unknown], eventOf()).losses.deadLetters).toEqual([{ category: 'error', status: 0, quantity: 1 }])
  })

  it('report the upstream status of a dead letter', () => {
    const { losses } = windowOf(
      [decidedAt(1, DEAD, [DEAD], 400), decidedAt(2, DEAD, [DEAD], 400)],
      eventOf(),
      eventOf(),
    )
    expect(losses).toMatchObject({
      categories: [{ pending: 2 }],
      deadLetters: [{ category: 'error', status: 400, quantity: 2 }],
    })
    expect(noLoss(losses).verdict.verdict).toBe('fail')
  })

  it('ignore copies, and use the envelope’s status if its items are evicted', () => {
    const copied = { endpoint: 'stream', body: eventOf() } as const
    const { losses } = windowOf([decidedAt(2, REFUSED, [])], copied, eventOf())
    expect(losses.categories).toMatchObject([{ made: 1, lost: 1 }])
  })

  it('count envelopes without a known status', () => {
    const { losses, withoutStatus } = windowOf([decidedAt(2, KEPT)], eventOf(), eventOf())
    expect([losses.categories[0]?.made, withoutStatus]).toEqual([1, 1])
  })
})
