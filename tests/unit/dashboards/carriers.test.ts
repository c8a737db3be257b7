import { describe, expect, it } from 'vitest'
import { carriers } from '../../../dashboards/traces/panel-lists'
import type { EventSummary } from '../../../lib/wire/event'
import type { Segment } from '../../../lib/wire/trace'
import { errorOf } from './drawn-error'

const segment = (seq: number, relayedAt: number | null): Segment => ({
  traceId: 'aaaabbbbccccddddaaaabbbbccccdddd',
  segmentId: `s${seq}`,
  parentSpanId: null,
  name: '/lab',
  op: 'pageload',
  status: 'ok',
  startUs: 0,
  endUs: 1000,
  lifecycle: 'static',
  service: 'browser',
  environment: null,
  release: null,
  sdk: null,
  spanCount: 1,
  seq,
  item: 1,
  receivedAt: 10,
  digestedAt: 11,
  relayedAt,
  deliveryStatus: { name: relayedAt === null ? 'pending' : 'accepted', reason: null },
  copy: 'no',
})

const error = (seq: number, deliveryStatus: EventSummary['deliveryStatus']['name']): EventSummary =>
  errorOf({
    eventId: `e${seq}`,
    seq,
    journal: seq,
    receivedAt: 10,
    deliveryStatus: { name: deliveryStatus, reason: null },
  })

describe('the carriers of a trace', () => {
  const relayed = (segments: readonly Segment[], errors: readonly EventSummary[]) =>
    carriers({ segments: [...segments], errors: [...errors] }).map(({ kind, seq, relayed }) => [seq, kind, relayed])

  it('are in order of arrival', () => {
    expect(relayed([segment(2, 50), segment(1, null)], [])).toEqual([
      [1, 'segment', null],
      [2, 'segment', 50],
    ])
  })

  it('were relayed when upstream accepted them, at an unknown time for errors', () => {
    expect(relayed([], [error(1, 'accepted'), error(2, 'pending'), error(3, 'kept')])).toEqual([
      [1, 'error', true],
      [2, 'error', null],
      [3, 'error', null],
    ])
  })

  it('were relayed when the segment of their envelope was', () => {
    expect(relayed([segment(4, 70)], [error(4, 'accepted')])).toEqual([
      [4, 'error', 70],
      [4, 'segment', 70],
    ])
  })
})
