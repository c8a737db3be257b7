import type { Submission } from '../../lib/protocol/submission'
import { type Random, randomFrom } from '../faults/random'
import { PAGE_LOAD, pick, type TransactionShape, transactionEnvelope } from './transaction-envelope'

/** The size of a store. Each record depends only on its number, so that an interrupted fill can continue. */
export interface StorePlan {
  /** Of 20 spans each. */
  readonly segments: number
  /** Time of the newest record in ms since the epoch; the oldest is two weeks older. */
  readonly newest: number
}

/** Segments per error event. */
const ERROR_EVERY = 10
const SPAN_MS = 14 * 24 * 3_600_000
/** Only the oldest records contain rare values, so that a list has to scan all others first. */
const RARE_RECORDS = 20
const CONTAINER_SPANS = 1000
/** Records of three special traces, in the middle of the store. */
const SPECIAL = { transactions: 50, containers: 1, long: 100 } as const
const SPECIAL_RECORDS = SPECIAL.transactions + SPECIAL.containers + SPECIAL.long

export const TRACES = {
  /** 1,000 spans in 50 transactions. */
  transactions: 'aaaa0000000000000000000000000001',
  /** 1,000 spans in one container. */
  container: 'aaaa0000000000000000000000000002',
  /** 100,000 spans in 100 containers. */
  long: 'aaaa0000000000000000000000000003',
} as const

/** Values for filters: common, only in the oldest records, in no record. */
export const VALUES = {
  op: { common: 'pageload', rare: 'queue.process', none: 'no.such.op' },
  name: { common: '/shop/[category]', rare: '/legacy/export', none: '/no/such/page' },
  environment: { common: 'production', rare: 'disaster-drill', none: 'nowhere' },
  release: { common: 'shop@4.7.1', rare: 'shop@0.9.0-rc1', none: 'shop@9.9.9' },
  service: { common: 'browser', rare: 'python', none: 'ruby' },
  stamp: { common: 'checkout-run', rare: 'first-run', none: 'no-run' },
  text: { common: 'shop', rare: 'zeppelin', none: 'quetzalcoatl' },
} as const

const OPS = [
  ...['pageload', 'pageload', 'pageload', 'navigation', 'navigation', 'http.server', 'http.server', 'http.server'],
  ...['ui.action', 'rpc', 'graphql', 'function', 'websocket', 'cron', 'middleware', 'resource', 'db'],
]
const SERVER_OPS = new Set(['http.server', 'rpc', 'graphql', 'function', 'cron', 'middleware', 'db'])
const RELEASES = [
  'shop@4.7.1',
  'shop@4.7.1',
  'shop@4.7.1',
  'shop@4.7.0',
  'shop@4.6.3',
  'shop@4.6.2',
  'shop@4.6.0',
  'shop@4.5.9',
]
const AREAS = ['shop', 'account', 'help', 'api', 'admin', 'blog', 'search', 'cart']
const PAGES = ['[category]', 'orders', 'returns', 'settings', 'overview']
const NAMES = AREAS.flatMap((area) => PAGES.map((page) => `/${area}/${page}`))
const ERRORS = [
  ['TypeError', "Cannot read properties of undefined (reading 'price')"],
  ['RangeError', 'Maximum call stack size exceeded'],
  ['NetworkError', 'Failed to fetch the basket of customer'],
  ['TimeoutError', 'The payment provider did not answer order'],
  ['ChunkLoadError', 'Loading chunk failed for component'],
  ['ValidationError', 'The address of customer is not complete'],
] as const

export const countRecords = ({ segments }: StorePlan): number =>
  segments + Math.floor(segments / ERROR_EVERY) + SPECIAL_RECORDS

/** @param number number of the record, from 1 */
export function recordAt(plan: StorePlan, number: number): Submission {
  const all = countRecords(plan)
  const receivedAt = Math.floor(plan.newest - SPAN_MS * (1 - number / all))
  const draw = randomFrom(number)
  const special = number - Math.floor((all - SPECIAL_RECORDS) / 2)
  if (special > 0 && special <= SPECIAL_RECORDS) return specialRecord(draw, special, receivedAt)
  const ordinary = special > 0 ? number - SPECIAL_RECORDS : number
  const stamp = number <= RARE_RECORDS ? VALUES.stamp.rare : draw.fraction() < 0.02 ? VALUES.stamp.common : null
  if (ordinary % (ERROR_EVERY + 1) === 0) {
    const text = errorText(draw, ordinary, receivedAt / 1000)
    return submission({ number, receivedAt, stamp, category: 'error', text })
  }
  const shape = shapeOf(draw, number, ordinary, receivedAt / 1000)
  const { text } = transactionEnvelope(draw, shape)
  return submission({ number, receivedAt, stamp, category: 'transaction', text })
}

/** The envelope that `bench:ingest` posts, with pending delivery. */
export function pendingPageLoad(number: number, receivedAt: number): Submission {
  const { text } = transactionEnvelope(randomFrom(number), { ...PAGE_LOAD, start: receivedAt / 1000 - 10 })
  return {
    ...submission({ number, receivedAt, stamp: null, category: 'transaction', text }),
    deliveryStatus: 'pending',
  }
}

function shapeOf(draw: Random, number: number, ordinary: number, start: number): TransactionShape {
  const isRare = number <= RARE_RECORDS
  const op = isRare ? VALUES.op.rare : pick(draw, OPS)
  const where = draw.fraction()
  // A third of all traces consist of a page and its request.
  const isPair = ordinary % 3 !== 0 && !isRare
  return {
    name: isRare ? `${VALUES.name.rare}${number === 1 ? ' zeppelin' : ''}` : nameOf(draw, ordinary),
    op,
    status: draw.fraction() < 0.05 ? 'internal_error' : 'ok',
    environment: isRare
      ? VALUES.environment.rare
      : where < 0.8
        ? 'production'
        : where < 0.95
          ? 'staging'
          : 'development',
    release: isRare ? VALUES.release.rare : pick(draw, RELEASES),
    platform: isRare ? 'python' : SERVER_OPS.has(op) ? 'node' : 'javascript',
    start,
    durationMs: isRare ? 3_600_000 : Math.min(60_000, 20 * Math.exp(draw.fraction() * 5)),
    spans: 20,
    breadcrumbs: 15,
    ...(isPair && { traceId: traceIdOf(Math.floor(ordinary / 3)) }),
  }
}

/** 40 names with a skewed distribution; one record in fifty has a unique name. */
function nameOf(draw: Random, ordinary: number): string {
  if (draw.fraction() < 0.02) return `/item/${ordinary}`
  const index = Math.floor(NAMES.length * draw.fraction() ** 2)
  return NAMES[index] ?? VALUES.name.common
}

const traceIdOf = (pair: number): string =>
  randomFrom(pair + 0x5eed_0000)
    .bytes(16)
    .toString('hex')

function errorText(draw: Random, ordinary: number, timestamp: number): string {
  const [type, value] = pick(draw, ERRORS)
  const eventId = draw.bytes(16).toString('hex')
  const event = {
    event_id: eventId,
    platform: 'javascript',
    timestamp,
    level: draw.fraction() < 0.9 ? 'error' : 'warning',
    environment: draw.fraction() < 0.8 ? 'production' : 'staging',
    release: pick(draw, RELEASES),
    transaction: nameOf(draw, ordinary),
    exception: {
      values: [
        {
          type,
          value: `${value} ${ordinary}`,
          mechanism: { type: 'generic', handled: draw.fraction() < 0.5 },
          stacktrace: {
            frames: Array.from({ length: 8 }, () => ({
              filename: `app:///_next/static/chunks/${pick(draw, AREAS)}.js`,
              function: pick(draw, PAGES),
              lineno: draw.between(1, 900),
              in_app: true,
            })),
          },
        },
      ],
    },
    contexts: {
      trace: { trace_id: traceIdOf(Math.floor((ordinary - 1) / 3)), span_id: draw.bytes(8).toString('hex') },
    },
    breadcrumbs: Array.from({ length: 10 }, (_, index) => ({
      timestamp: timestamp - 10 + index,
      category: 'ui.click',
      message: `button.${pick(draw, AREAS)}`,
    })),
    sdk: { name: 'sentry.javascript.nextjs', version: '11.8.0' },
  }
  const header = { event_id: eventId, sdk: event.sdk }
  return [JSON.stringify(header), '{"type":"event"}', JSON.stringify(event)].join('\n')
}

function specialRecord(draw: Random, special: number, receivedAt: number): Submission {
  const made = { number: special, receivedAt, stamp: null }
  const start = receivedAt / 1000
  if (special <= SPECIAL.transactions) {
    const shape = shapeOf(draw, RARE_RECORDS + 1, 0, start)
    const { text } = transactionEnvelope(draw, { ...shape, spans: 19, traceId: TRACES.transactions })
    return submission({ ...made, category: 'transaction', text })
  }
  const isLong = special > SPECIAL.transactions + SPECIAL.containers
  const traceId = isLong ? TRACES.long : TRACES.container
  return submission({ ...made, category: 'span', quantity: CONTAINER_SPANS, text: containerText(draw, traceId, start) })
}

/** A full span container of the streamed lifecycle: a segment and its children. */
function containerText(draw: Random, traceId: string, start: number): string {
  const segmentId = draw.bytes(8).toString('hex')
  const attribute = (value: string) => ({ value, type: 'string' })
  const items = Array.from({ length: CONTAINER_SPANS }, (_, index) => {
    const begins = start + index / 1000
    return {
      name: index === 0 ? 'Pageload' : `GET /api/${pick(draw, PAGES)}/${draw.between(1, 500)}`,
      span_id: index === 0 ? segmentId : draw.bytes(8).toString('hex'),
      trace_id: traceId,
      ...(index > 0 && { parent_span_id: segmentId }),
      start_timestamp: begins,
      end_timestamp: begins + draw.fraction() / 10,
      is_segment: index === 0,
      status: 'ok',
      attributes: {
        'sentry.segment.id': attribute(segmentId),
        'sentry.op': attribute(index === 0 ? 'pageload' : 'http.client'),
        'sentry.sdk.name': attribute('sentry.javascript.nextjs'),
        'user_agent.original': attribute('Mozilla/5.0 (X11; Linux x86_64)'),
        'url.path': attribute(`/api/${pick(draw, PAGES)}`),
        'http.request.method': attribute('GET'),
      },
    }
  })
  const header = { trace: { trace_id: traceId, public_key: 'bench' }, sdk: { name: 'sentry.javascript.nextjs' } }
  const item = { type: 'span', item_count: items.length, content_type: 'application/vnd.sentry.items.span.v2+json' }
  return [JSON.stringify(header), JSON.stringify(item), JSON.stringify({ version: 2, items })].join('\n')
}

/** A record of one item, as an intake endpoint makes it, with delivery status `kept`. */
function submission(given: {
  readonly number: number
  readonly receivedAt: number
  readonly stamp: string | null
  readonly category: string
  readonly quantity?: number
  readonly text: string
}): Submission {
  return {
    receipt: `${given.category}-${given.number}-${given.receivedAt}`,
    receivedAt: given.receivedAt,
    endpoint: 'envelope',
    project: '1',
    publicKey: 'bench',
    stamp: given.stamp,
    facts: {
      method: 'POST',
      contentType: 'text/plain;charset=UTF-8',
      contentEncoding: null,
      userAgent:
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
      clientHints: {},
      origin: 'https://shop.test',
      forwardedFor: null,
      page: null,
      lab: false,
    },
    discards: [],
    reportedLimits: [],
    quantities: [{ category: given.category, quantity: given.quantity ?? 1 }],
    body: Buffer.from(given.text),
    deliveryStatus: { outcome: 'kept', reason: 'no_upstream' },
  }
}
