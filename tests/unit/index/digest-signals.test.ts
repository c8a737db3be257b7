import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../../lib/protocol/request'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import type { ItemRow, RowVisitor, SignalWithService } from '../../../lib/protocol/traversal/rows'
import { traverseEnvelope } from '../../../lib/protocol/traversal/traverse-envelope'
import { envelopeOf } from '../protocol/items/read-signals'

/** The signals and items of an envelope. */
function digest(
  body: Uint8Array,
  endpoint: Endpoint = 'envelope',
): { readonly items: readonly ItemRow[]; readonly signals: readonly SignalWithService[] } {
  const items: ItemRow[] = []
  const signals: SignalWithService[] = []
  const nothing = (): void => undefined
  const rows: RowVisitor = {
    envelope: nothing,
    segment: nothing,
    span: nothing,
    event: nothing,
    item: (row) => items.push(row),
    signal: (signal) => signals.push(signal),
  }
  const recorded = { seq: 1, journal: 1, receivedAt: 1, endpoint, copy: false, stamp: null, body }
  traverseEnvelope(recorded, rows, 2, SIZE_LIMITS)
  return { items, signals }
}

describe('the service of a signal', () => {
  const log = (header: object, container: object = {}) =>
    digest(envelopeOf('log', { items: [{ body: 'x' }], ...container }, header)).signals[0]?.service
  const sdk = (name: string) => ({ sdk: { name } })

  it.each([
    ['sentry.python', {}, 'python'],
    ['sentry.javascript.node', {}, 'server'],
    ['sentry.javascript.react', {}, 'browser'],
    ['sentry.javascript.nextjs', { version: 2 }, 'server'],
    ['sentry.javascript.nextjs', { version: 2, ingest_settings: {} }, 'browser'],
    ['sentry.javascript.nextjs', {}, null],
    ['sentry.javascript.constructor', {}, null],
  ])('of %s with %j is %s', (name, container, service) => {
    expect(log(sdk(name), container)).toBe(service)
  })

  it('is null when nothing names the sender', () => {
    expect(log({})).toBeNull()
  })

  it('is the platform of the item', () => {
    const chunk = envelopeOf('profile_chunk', { platform: 'cocoa' }, sdk('sentry.cocoa'))
    expect(digest(chunk).signals[0]?.service).toBe('cocoa')
  })
})

it('children of a transaction that cannot be read are its problem', () => {
  const transaction = {
    contexts: { trace: { trace_id: 'a'.repeat(32), span_id: '1'.repeat(16) } },
    start_timestamp: 1,
    timestamp: 2,
    spans: [{ span_id: 'txn', start_timestamp: 1 }],
  }
  expect(digest(envelopeOf('transaction', transaction)).items).toMatchObject([
    { problem: '1 of its spans have no id of 16 hex digits, or no start' },
  ])
})

it.each(['form_data', 'of_tomorrow', '', 'constructor'])(
  'an item of a type that nothing reads says so for the type %j',
  (type) => {
    expect(digest(envelopeOf(type, {})).items).toMatchObject([{ type, problem: 'not read' }])
  },
)

it('a report at the security endpoint becomes the same signals as one in an envelope', () => {
  const report = { type: 'csp-violation', url: 'https://a.example', body: { blockedURL: 'inline' } }
  const { items, signals } = digest(Buffer.from(JSON.stringify([report, report])), 'security')
  expect(items).toMatchObject([{ type: 'raw_security', category: 'security', problem: null }])
  expect(signals.map((signal) => signal.name)).toEqual(['a policy blocked inline', 'a policy blocked inline'])
})

it('an item has the ids of its first signal', () => {
  const items = [{ body: 'a', trace_id: 'ab'.repeat(16) }, { body: 'b' }]
  expect(digest(envelopeOf('log', { items })).items).toMatchObject([{ traceId: 'ab'.repeat(16), problem: null }])
})

it('an item reports the number of unreadable entries', () => {
  const { items, signals } = digest(envelopeOf('log', { items: [1, { body: 'a' }, null] }))
  expect([items[0]?.problem, signals.length]).toEqual(['2 of its entries could not be read', 1])
})

describe('an error event without an id, in an envelope without an id', () => {
  const anonymous = envelopeOf('event', { message: 'who am I' })

  it('gets an id from its position in the record, the same each time it is digested', () => {
    expect(digest(anonymous).items).toMatchObject([{ eventId: `${'0'.repeat(27)}10000`, problem: null }])
    expect(digest(anonymous).items).toEqual(digest(anonymous).items)
  })
})
