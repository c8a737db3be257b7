import type { Submission } from '../../../lib/protocol/submission'
import type { Drawing } from './random-signals'

/** Seconds since the epoch: traces start in the two hours before. */
const END = 1_795_000_000
const TRACES = Array.from({ length: 40 }, (_, index) => (index + 1).toString(16).padStart(32, '0'))
const SPANS = Array.from({ length: 6 }, (_, index) => (index + 1).toString(16).padStart(16, '0'))
const EVENTS = Array.from({ length: 30 }, (_, index) => (index + 1).toString(16).padStart(32, 'e'))

/** The values to draw from and to filter by: few, so that every filter finds something. */
export const VALUES = {
  op: ['pageload', 'http.server', 'queue.process'],
  name: ['GET /checkout', '/checkpoint/über', 'nightly report 2026', '/'],
  environment: ['production', 'test'],
  release: ['shop@1.0.0', 'shop@1.0.1'],
  service: ['browser', 'server', 'python'],
  stamp: ['first', 'second'],
  text: [
    ['check'],
    ['checkp'],
    ['checkpoint'],
    ['uber'],
    ['get', 'c'],
    ['re', 'ni'],
    ['typeerror'],
    ['b'],
    ['2026'],
    ['zebra'],
  ],
  durationUs: [0, 900, 25_000, 1_000_000, 90_000_000],
  us: [END - 7200, END - 3600, END - 3599.5, END - 600, END].map((seconds) => seconds * 1_000_000),
} as const

const line = (value: object): string => JSON.stringify(value)

function transaction({ one, below }: Drawing): readonly string[] {
  const start = END - below(7200) + below(1000) / 1000
  return [
    line({ type: 'transaction' }),
    line({
      type: 'transaction',
      event_id: one(EVENTS),
      transaction: one(VALUES.name),
      platform: one(['javascript', 'node', 'python']),
      environment: one([...VALUES.environment, null]),
      release: one(VALUES.release),
      start_timestamp: start,
      timestamp: start + one([...VALUES.durationUs, 1_000_001, 26_000]) / 1_000_000,
      contexts: {
        trace: {
          trace_id: one(TRACES),
          span_id: one(SPANS),
          op: one([...VALUES.op, null]),
          status: one(['ok', 'cancelled', 'internal_error', 'unset', null]),
        },
      },
    }),
  ]
}

/** A container of streamed spans of several traces; few of them are segments. */
function spans({ one, below }: Drawing): readonly string[] {
  const items = Array.from({ length: 1 + below(5) }, () => {
    const start = END - below(7200)
    return {
      trace_id: one(TRACES),
      span_id: one(SPANS),
      name: one(VALUES.name),
      start_timestamp: start,
      end_timestamp: start + below(3),
      is_segment: below(2) === 0,
      status: one(['ok', 'error']),
      attributes: {
        'sentry.op': { value: one(VALUES.op), type: 'string' },
        'sentry.environment': { value: one(VALUES.environment), type: 'string' },
        'sentry.release': { value: one(VALUES.release), type: 'string' },
      },
    }
  })
  const header = { type: 'span', item_count: items.length, content_type: 'application/vnd.sentry.items.span.v2+json' }
  return [line(header), line({ version: 2, items })]
}

const event = ({ one, below }: Drawing): readonly string[] => [
  line({ type: 'event' }),
  line({
    event_id: one(EVENTS),
    timestamp: END - below(7200),
    platform: one(['node', 'python']),
    environment: one(VALUES.environment),
    exception: { values: [{ type: 'TypeError', value: one(['no zebra', 'no bee', 'nothing']) }] },
    contexts: { trace: { trace_id: one(TRACES), span_id: one(SPANS) } },
  }),
]

/** A random submission with parts of a few traces. */
export function drawTraces(draw: Drawing): { readonly body: string; readonly given: Partial<Submission> } {
  const { one, below } = draw
  const items = Array.from({ length: 1 + below(3) }, () =>
    one([transaction, transaction, transaction, spans, event])(draw),
  )
  return {
    body: [line({}), ...items.flat()].join('\n'),
    given: { endpoint: one(['envelope', 'tunnel', 'stream']), stamp: one([...VALUES.stamp, null, null]) },
  }
}
