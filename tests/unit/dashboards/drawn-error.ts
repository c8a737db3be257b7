import type { EventDetail, EventSummary } from '../../../lib/wire/event'

/** A browser error without a trace, except for the given fields. */
export const errorOf = (given: Partial<EventSummary>): EventSummary => ({
  eventId: 'e1',
  seq: 1,
  item: 0,
  journal: 1,
  traceId: null,
  spanId: null,
  timestampUs: 0,
  receivedAt: 0,
  level: 'error',
  platform: null,
  service: 'browser',
  title: 'Error: x',
  handled: false,
  mechanism: null,
  transaction: null,
  environment: null,
  release: null,
  digest: null,
  deliveryStatus: { name: 'kept', reason: null },
  copy: 'no',
  ...given,
})

/** The same with one exception of one frame. */
export const drawnEvent: EventDetail = {
  ...errorOf({ title: 'Error: it failed', handled: true }),
  exceptions: [
    {
      type: 'Error',
      value: 'it failed',
      frames: [{ filename: 'app.ts', function: 'pay', line: 2, column: 3, inApp: true, source: [], vars: null }],
    },
  ],
  breadcrumbs: [],
  group: { hash: 'a'.repeat(32), older: null, newer: null },
  tags: {},
  contexts: {},
  request: null,
  payload: {},
}
