import { describe, expect, it } from 'vitest'
import { LimitBook } from '../../../collector/relay/limits'
import { type Preparing, prepare } from '../../../collector/relay/prepare'
import type { StoredLimit } from '../../../collector/spool/submission'
import { quantityOf } from '../../../lib/protocol/data-category'
import { type Door, frameRecord } from '../../../lib/protocol/record'
import { submission } from '../spool/in-process-spool'

const NOW = 1_700_000_000_000
const MINUTE = 60_000
const HEADER = '{"event_id":"9ec79c33ec9942ab8353589fcb2e04dc","sent_at":"2026-11-20T10:00:00.000Z"}'
const dsn = { publicKey: 'key', projectId: '1' }

const limit = (category: string, seconds: number, more: Partial<StoredLimit> = {}): StoredLimit => ({
  publicKey: 'key',
  project: '1',
  category,
  until: NOW + seconds * 1000,
  toldAt: NOW,
  reason: null,
  scope: null,
  toldBy: null,
  ...more,
})

const item = (type: string, payload: unknown = {}): string => `\n{"type":"${type}"}\n${JSON.stringify(payload)}`

function record(body: string, door: Door = 'envelope') {
  const bytes = Buffer.from(body)
  const framed = frameRecord(door, bytes)
  if (!framed.ok) throw new Error(framed.error.message)
  return submission({ receivedAt: NOW, door, body: bytes, quantities: framed.value.items.map(quantityOf) })
}

/** What becomes of a record, with its body as text. */
async function prepared(body: string, limits: readonly StoredLimit[], more: Partial<Preparing> = {}) {
  const clock = { now: () => NOW, monotonic: () => 0 }
  const done = await prepare({
    record: record(body),
    dsn,
    limits: new LimitBook(limits, clock),
    holdErrors: false,
    scrub: null,
    now: NOW,
    ...more,
  })
  return done.kind === 'post' ? { ...done, body: Buffer.from(done.body).toString() } : done
}

describe('a record of which nothing is limited', () => {
  const body = `${HEADER}${item('event')}\n`

  it.each([
    ['where there is no limit', []],
    ['where something else is limited', [limit('span', 60)]],
    ['where a limit is over', [limit('error', 0)]],
    ['where another project is limited', [limit('error', 60, { project: '2' })]],
    ['where another key is limited', [limit('error', 60, { publicKey: 'other' })]],
  ])('is posted as it came %s', async (_where, limits) => {
    expect(await prepared(body, limits)).toEqual({
      kind: 'post',
      body,
      form: ['received'],
      leftOut: [],
      removed: [],
      toReport: [],
    })
  })

  it('is posted by the very bytes of the record, not by a copy of them', async () => {
    const given = record(body)
    const limits = new LimitBook([], { now: () => NOW, monotonic: () => 0 })
    const done = await prepare({ record: given, dsn, limits, holdErrors: true, scrub: null, now: NOW })
    expect(done.kind === 'post' && done.body === given.body).toBe(true)
  })
})

describe('a record of which something is limited', () => {
  it('is posted without it, and what went is told with its reason', async () => {
    const body = `${HEADER}${item('event')}${item('attachment')}${item('session')}`
    expect(await prepared(body, [limit('error', 60)])).toEqual({
      kind: 'post',
      body: `${HEADER}${item('session')}`,
      form: ['cut'],
      leftOut: [
        { item: 0, type: 'event', category: 'error', quantity: 1, reason: 'limited' },
        { item: 1, type: 'attachment', category: 'attachment', quantity: 1, reason: 'depends_on_limited' },
      ],
      removed: [],
      toReport: [
        { category: 'error', quantity: 1, reason: 'ratelimit_backoff' },
        { category: 'attachment', quantity: 1, reason: 'ratelimit_backoff' },
      ],
    })
  })

  it('is settled without a post where nothing is left of it', async () => {
    expect(await prepared(`${HEADER}${item('event')}`, [limit('all', 60)])).toEqual({
      kind: 'settled',
      leftOut: [{ item: 0, type: 'event', category: 'error', quantity: 1, reason: 'limited' }],
      toReport: [{ category: 'error', quantity: 1, reason: 'ratelimit_backoff' }],
    })
  })

  it.each([
    ['its spans and itself', { spans: [{}, {}, {}] }, 4],
    ['itself where it lists none', {}, 1],
    ['itself where it cannot be read', null, 1],
    ['itself where its spans are no list', { spans: 'three' }, 1],
  ])('is reported, a transaction as %s', async (_what, transaction, spans) => {
    const done = await prepared(`${HEADER}${item('transaction', transaction)}`, [limit('transaction', 60)])
    expect(done).toMatchObject({
      kind: 'settled',
      toReport: [
        { category: 'transaction', quantity: 1, reason: 'ratelimit_backoff' },
        { category: 'span', quantity: spans, reason: 'ratelimit_backoff' },
      ],
    })
  })

  it('is reported in sums, a container by its entries', async () => {
    const body = `${HEADER}\n{"type":"span","item_count":3}\n{"items":[{},{},{}]}${item('transaction', { spans: [{}] })}`
    expect(await prepared(body, [limit('span', 60), limit('transaction', 60)])).toMatchObject({
      toReport: [
        { category: 'span', quantity: 5 },
        { category: 'transaction', quantity: 1 },
      ],
    })
  })

  it('is not reported where it is a client report', async () => {
    expect(await prepared(`${HEADER}${item('client_report')}`, [limit('internal', 60)])).toMatchObject({
      kind: 'settled',
      leftOut: [{ category: 'internal' }],
      toReport: [],
    })
  })

  it.each<[Door, string, string]>([
    ['store', '{"message":"x"}', 'error'],
    ['store', '{"type":"transaction","spans":[]}', 'transaction'],
    ['security', '{"csp-report":{}}', 'security'],
  ])('and came by the door %s goes whole or not at all', async (door, body, category) => {
    const given = { record: record(body, door) }
    expect(await prepared(body, [limit(category, 60)], given)).toMatchObject({ kind: 'settled' })
    expect(await prepared(body, [limit('session', 60)], given)).toMatchObject({ body, form: ['received'] })
  })
})

describe('an error of which the category is limited, where errors are held', () => {
  const held = { holdErrors: true }
  const body = `${HEADER}${item('event')}${item('session')}`

  it('waits for the end of its limit, and what came with it waits, too', async () => {
    expect(await prepared(body, [limit('error', 60), limit('span', 90)], held)).toEqual({
      kind: 'hold',
      until: NOW + 60_000,
    })
  })

  it('waits for the last end where everything is limited as well', async () => {
    expect(await prepared(body, [limit('error', 60), limit('all', 90)], held)).toMatchObject({ until: NOW + 90_000 })
  })

  it('does not wait where something else is limited, and that is cut', async () => {
    expect(await prepared(body, [limit('session', 60)], held)).toMatchObject({
      kind: 'post',
      body: `${HEADER}${item('event')}`,
    })
  })

  it('is the only thing that waits', async () => {
    expect(await prepared(`${HEADER}${item('session')}`, [limit('session', 60)], held)).toMatchObject({
      kind: 'settled',
    })
  })
})

describe('an envelope that is posted late', () => {
  const body = `${HEADER}${item('event')}`
  const after = (ms: number) => ({ now: NOW + ms })

  it('says it was sent as long after as it waited, and nothing else of it changes', async () => {
    expect(await prepared(body, [], after(50 * MINUTE + 1))).toMatchObject({
      form: ['late'],
      body: body.replace('10:00:00.000Z', '10:50:00.001Z'),
    })
  })

  it('waited in the lifeboat of its tunnel, too', async () => {
    const given = record(body)
    const kept = { ...given, facts: { ...given.facts, keptMs: 40 * MINUTE } }
    expect(await prepared(body, [], { ...after(20 * MINUTE), record: kept })).toMatchObject({
      form: ['late'],
      body: body.replace('T10:', 'T11:'),
    })
  })

  it('is none up to 50 minutes, nor where the clock was set back', async () => {
    for (const ms of [50 * MINUTE, -50 * MINUTE])
      expect(await prepared(body, [], after(ms))).toMatchObject({ form: ['received'], body })
  })

  it('stays as it came where it does not say when it was sent', async () => {
    const silent = `{}${item('event')}`
    expect(await prepared(silent, [], after(90 * MINUTE))).toMatchObject({ form: ['received'], body: silent })
  })

  it('may be cut as well', async () => {
    expect(await prepared(`${body}${item('session')}`, [limit('session', 60)], after(60 * MINUTE))).toMatchObject({
      form: ['cut', 'late'],
      body: body.replace('T10:', 'T11:'),
    })
  })

  it.each<[Door, string]>([
    ['store', '{"sent_at":"2026-11-20T10:00:00.000Z"}'],
    ['security', '{"sent_at":"2026-11-20T10:00:00.000Z"}'],
  ])('is no event of the door %s, which has no header', async (door, event) => {
    const given = { ...after(90 * MINUTE), record: record(event, door) }
    expect(await prepared(event, [], given)).toMatchObject({ form: ['received'], body: event })
  })
})

describe('a record that is scrubbed', () => {
  const body = `${HEADER}${item('session')}${item('event', { message: 'secret' })}`
  const scrub: Preparing['scrub'] = async (_door, bytes) => ({
    body: Buffer.from(Buffer.from(bytes).toString().replace('secret', '[Filtered]')),
    removed: [{ rule: 'made', path: '0.message' }],
  })

  it('is posted as scrubbing left it, with what it removed by the numbers of the record', async () => {
    expect(await prepared(body, [limit('session', 60)], { scrub })).toMatchObject({
      form: ['cut', 'scrubbed'],
      body: `${HEADER}${item('event', { message: '[Filtered]' })}`,
      removed: [{ rule: 'made', path: '1.message' }],
    })
  })

  it('is as it came where scrubbing changes no byte, though it says what it would remove', async () => {
    const report: Preparing['scrub'] = async (_door, bytes) => ({
      body: bytes.slice(),
      removed: [{ rule: 'made', path: '1.message' }],
    })
    expect(await prepared(body, [], { scrub: report })).toMatchObject({
      form: ['received'],
      body,
      removed: [{ rule: 'made', path: '1.message' }],
    })
  })
})
