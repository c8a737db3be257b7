import type { Submission } from '../../../lib/protocol/submission'
import { seededRandom } from '../protocol/seeded-random'

const START = 1_795_000_000
const LEVELS = ['error', 'warning', 'info', 'debug']
const ENVIRONMENTS = ['production', 'staging', null]
const RELEASES = ['1.0.0', '1.0.1']
const PAGES = ['/', '/cart', '/check-out']
const STAMPS = ['one', 'two', null, null]
const TRACES = ['a', 'b', 'c'].map((digit) => digit.repeat(32))
const EVENTS = Array.from({ length: 500 }, (_, index) => index.toString(16).padStart(32, '0'))
const WORDS = ['login', 'failed', 'Logging', 'timeout', 'Größe', 'user', '42', 'x']

/** The values to draw from: few, so that every filter finds something. */
export interface Drawing {
  readonly below: (n: number) => number
  readonly one: <Value>(values: readonly Value[]) => Value
}

export function drawing(seed: number): Drawing {
  const random = seededRandom(seed)
  const below = (n: number): number => Math.floor(random() * n)
  return {
    below,
    one: (values) => {
      const [first, ...rest] = values
      if (first === undefined) throw new Error('there is nothing to draw from')
      return rest[below(values.length) - 1] ?? first
    },
  }
}

const line = (value: object): string => JSON.stringify(value)
const words = ({ one, below }: Drawing): string =>
  Array.from({ length: 1 + below(3) }, () => (below(80) === 0 ? `seldom${below(9)}` : one(WORDS))).join(
    one([' ', '-', ': ']),
  )

function event(draw: Drawing): readonly string[] {
  const { one, below } = draw
  return [
    line({ type: 'event' }),
    line({
      event_id: one(EVENTS),
      timestamp: START - below(7200),
      level: one(LEVELS),
      platform: one(['node', 'javascript', 'python']),
      environment: one(ENVIRONMENTS),
      release: one(RELEASES),
      transaction: one(PAGES),
      ...(below(3) > 0 && { contexts: { trace: { trace_id: one(TRACES), span_id: '1'.repeat(16) } } }),
      exception: {
        values: [
          {
            type: 'TypeError',
            value: words(draw),
            mechanism: { type: 'generic', ...(below(3) > 0 && { handled: below(2) === 0 }) },
          },
        ],
      },
      breadcrumbs: Array.from({ length: below(4) }, () => ({
        timestamp: START - below(7200),
        category: one(['fetch', 'ui.click']),
        level: one(LEVELS),
        message: words(draw),
      })),
    }),
  ]
}

function logs(draw: Drawing): readonly string[] {
  const { one, below } = draw
  const items = Array.from({ length: 1 + below(6) }, () => ({
    timestamp: START - below(7200),
    trace_id: one(TRACES),
    level: one(LEVELS),
    body: words(draw),
    attributes: {
      'sentry.environment': { value: one(['production', 'staging']), type: 'string' },
      'sentry.release': { value: one(RELEASES), type: 'string' },
    },
  }))
  const header = { type: 'log', item_count: items.length, content_type: 'application/vnd.sentry.items.log+json' }
  return [line(header), line({ items })]
}

function feedback(draw: Drawing): readonly string[] {
  const { one, below } = draw
  return [
    line({ type: 'feedback' }),
    line({
      event_id: `f${one(EVENTS).slice(1)}`,
      timestamp: START - below(7200),
      environment: one(ENVIRONMENTS),
      contexts: { feedback: { message: words(draw), contact_email: `${one(WORDS)}@example.com` } },
    }),
  ]
}

function transaction(draw: Drawing): readonly string[] {
  const { one } = draw
  return [
    line({ type: 'transaction' }),
    line({
      type: 'transaction',
      event_id: one(EVENTS),
      transaction: one(PAGES),
      start_timestamp: START - 1,
      timestamp: START,
      contexts: { trace: { trace_id: one(TRACES), span_id: '2'.repeat(16), op: 'pageload' } },
    }),
  ]
}

/** A random body of events, logs and other items, with its endpoint and stamp. */
export function drawSubmission(draw: Drawing, receivedAt: number): { body: string; given: Partial<Submission> } {
  const { one, below } = draw
  const items = Array.from({ length: 1 + below(3) }, () => one([event, event, logs, logs, feedback, transaction])(draw))
  const sdk = { name: one(['sentry.javascript.browser', 'sentry.python']), version: '1' }
  if (below(10) === 0) items.push([line({ type: 'transaction' }), line({ no: 'ids' })])
  const trace = below(4) === 0 ? { trace_id: one(TRACES), public_key: 'k' } : undefined
  return {
    body: [line({ event_id: one(EVENTS), sdk, trace }), ...items.flat()].join('\n'),
    given: { receivedAt, stamp: one(STAMPS), endpoint: one(['envelope', 'tunnel', 'stream'] as const) },
  }
}

/** Filter values; some match nothing. */
export const FILTER_VALUES = {
  level: [...LEVELS, 'fatal'],
  environment: ['production', 'staging', 'nowhere'],
  release: [...RELEASES, '2'],
  service: ['browser', 'server', 'python', 'nobody'],
  name: [...PAGES, 'login failed', 'nothing'],
  stamp: ['one', 'two', 'three'],
  trace: [...TRACES, 'd'.repeat(32)],
  text: [
    ['log'],
    ['login', 'fail'],
    ['grosse'],
    ['gross'],
    ['4'],
    ['typeerror', 'x'],
    ['cart'],
    ['zebra'],
    ['seldom'],
    ['seldom3'],
    ['sel', 'log'],
  ],
  category: ['fetch', 'ui.click', 'none'],
  event: EVENTS.slice(0, 5),
  us: Array.from({ length: 9 }, (_, index) => (START - index * 900) * 1e6),
} as const
