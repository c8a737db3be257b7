import { describe, expect, it } from 'vitest'
import { decodeRequest } from '../../../../lib/otlp/decode'
import type { StoredSubmission } from '../../../../lib/protocol/submission'
import { createAttribution } from '../../../../lib/verdict/evidence/attribution'
import { errorEnvelope, transactionEnvelope } from '../../../flow/envelopes'
import { encodeRequest, SPAN, textAttribute, tracesRequest } from '../../otlp/requests'

const DSN = 'http://local@127.0.0.1:8969/1'
const [A, B] = ['a'.repeat(32), 'b'.repeat(32)]

let seq = 0
function submission(body: string, stamp: string | null = null): StoredSubmission {
  seq += 1
  const facts = {
    project: '1',
    publicKey: 'local',
    page: null,
    userAgent: null,
    origin: null,
    endpoint: 'tunnel' as const,
  }
  return { ...facts, seq, journal: seq, receivedAt: seq, stamp, body: Buffer.from(body) }
}
const unstamped = (traceId: string) => submission(errorEnvelope(DSN, { traceId }).body)
const mine = (traceId: string) => submission(transactionEnvelope(DSN, { traceId }).body, 'mine')

const errorsOfBoth = () =>
  submission(
    [
      JSON.stringify({ dsn: DSN }),
      ...[A, B].flatMap((traceId) => errorEnvelope(DSN, { traceId }).body.split('\n').slice(1)),
    ].join('\n'),
  )

/** A server item with entries of several tests. */
function logsOf(...traces: readonly string[]): StoredSubmission {
  const items = traces.map((trace_id) => ({
    timestamp: 1,
    trace_id,
    level: 'info',
    body: `log of ${trace_id.slice(0, 1)}`,
    attributes: {},
  }))
  const header = { type: 'log', item_count: items.length, content_type: 'application/vnd.sentry.items.log+json' }
  return submission([JSON.stringify({ dsn: DSN }), JSON.stringify(header), JSON.stringify({ items })].join('\n'))
}

it('attributes earlier unstamped submissions once a stamped one names their trace, oldest first', () => {
  const attribution = createAttribution('mine')
  const [first, second] = [unstamped(A), unstamped(A)]
  expect(attribution.add(first)).toEqual([])
  expect(attribution.add(second)).toEqual([])
  expect(attribution.add(unstamped(B))).toEqual([])
  const stamped = mine(A)
  expect(attribution.add(stamped).map(({ submission }) => submission)).toEqual([first, second, stamped])
})

it('attributes unstamped submissions of a trace that was assigned to the test, and no others', () => {
  const attribution = createAttribution('mine')
  attribution.addTrace(A)
  const requested = unstamped(A)
  expect(attribution.add(requested).map(({ submission }) => submission)).toEqual([requested])
  expect(attribution.add(unstamped(B))).toEqual([])
  expect(attribution.add(submission(errorEnvelope(DSN, { traceId: A }).body, 'theirs'))).toEqual([])
})

it('never attributes submissions with another stamp', () => {
  const attribution = createAttribution('mine')
  attribution.add(mine(A))
  expect(attribution.add(submission(errorEnvelope(DSN, { traceId: A }).body, 'theirs'))).toEqual([])
  expect(attribution.add(mine(A))).toHaveLength(1)
})

it('returns an attributed submission once', () => {
  const attribution = createAttribution('mine')
  attribution.add(unstamped(A))
  expect(attribution.add(mine(A))).toHaveLength(2)
  expect(attribution.add(mine(A))).toHaveLength(1)
})

it('does not adopt the traces of unstamped submissions', () => {
  const attribution = createAttribution('mine')
  attribution.add(mine(A))
  expect(attribution.add(errorsOfBoth())).toHaveLength(1)
  expect(attribution.add(unstamped(B))).toEqual([])
})

it('drops the oldest unattributed submissions above the limits, and counts them', () => {
  const few = createAttribution('mine', { submissions: 2, bytes: 1_000_000 })
  const [first, second, third] = [unstamped(A), unstamped(A), unstamped(A)]
  for (const one of [first, second, third]) few.add(one)
  expect(few.dropped()).toBe(1)
  expect(few.add(mine(A)).map(({ submission }) => submission.seq)).toEqual([second.seq, third.seq, seq])

  const small = createAttribution('mine', { submissions: 100, bytes: second.body.length + 10 })
  for (const one of [first, second, third]) small.add(one)
  expect(small.dropped()).toBe(2)
})

it('does not keep submissions without a trace', () => {
  const attribution = createAttribution('mine', { submissions: 0, bytes: 0 })
  const report = JSON.stringify({ timestamp: 1, discarded_events: [] })
  attribution.add(submission([JSON.stringify({ dsn: DSN }), '{"type":"client_report"}', report].join('\n')))
  expect(attribution.dropped()).toBe(0)
})

describe('an envelope that a page posts to another origin', () => {
  const digestOf = (body: Uint8Array) => Buffer.from(body).toString('latin1')
  const open = () => createAttribution('mine', undefined, digestOf)
  const ofPage = (body: string) => ({ ...submission(body), origin: 'http://localhost:3000' })
  const page = (traceId: string) => ofPage(errorEnvelope(DSN, { traceId }).body)
  const session = () => ofPage(`{"dsn":"${DSN}"}\n{"type":"session"}\n{"sid":"${seq}"}`)
  const seqsOf = (all: readonly { readonly submission: StoredSubmission }[]) =>
    all.map(({ submission }) => submission.seq)

  it.each(['before', 'after'])('belongs to the test whose page posted its bytes %s it arrived', (order) => {
    for (const arrived of [page(A), session()]) {
      const attribution = open()
      const steps = [() => attribution.addPost(digestOf(arrived.body)), () => attribution.add(arrived)]
      const parts = (order === 'before' ? steps : steps.reverse()).flatMap((step) => step())
      expect(seqsOf(parts)).toEqual([arrived.seq])
      expect(parts[0]?.added.items).toHaveLength(1)
    }
  })

  it('assigns its traces, so that the telemetry of their servers belongs too', () => {
    const attribution = open()
    const [server, arrived, later] = [unstamped(A), page(A), unstamped(A)]
    attribution.add(server)
    attribution.addPost(digestOf(arrived.body))
    expect(seqsOf(attribution.add(arrived))).toEqual([server.seq, arrived.seq])
    expect(seqsOf(attribution.add(later))).toEqual([later.seq])
    expect([...attribution.postedTraces()]).toEqual([A])
  })

  it('replaces the part that belonged by its trace', () => {
    const attribution = open()
    attribution.add(mine(A))
    const batch = { ...logsOf(A, B), origin: 'http://localhost:3000' }
    expect(attribution.add(batch)).toMatchObject([{ replaces: false }])
    const [whole] = attribution.addPost(digestOf(batch.body))
    expect(whole).toMatchObject({ replaces: true })
    expect(whole?.evidence.signals.map(({ traceId }) => traceId)).toEqual([A, B])
    expect(whole?.added.signals.map(({ traceId }) => traceId)).toEqual([B])
  })

  it('belongs to nobody if more of the same arrived than the test posted', () => {
    const attribution = open()
    const [first, second] = [page(A), page(A)]
    attribution.add(first)
    attribution.add({ ...second, body: first.body })
    expect(attribution.addPost(digestOf(first.body))).toEqual([])
    expect(seqsOf(attribution.addPost(digestOf(first.body)))).toEqual([first.seq, second.seq])
  })

  it('does not belong with another stamp, from a server, or without a post', () => {
    const attribution = open()
    const theirs = { ...page(A), stamp: 'theirs' }
    const ofServer = unstamped(B)
    for (const one of [theirs, ofServer]) {
      attribution.addPost(digestOf(one.body))
      expect(attribution.add(one)).toEqual([])
    }
    expect(attribution.add(page(A))).toEqual([])
  })
})

describe('a server batch with entries of two tests', () => {
  const textOf = (payload: Uint8Array | undefined) => Buffer.from(payload ?? []).toString('utf8')

  it('is split by entries, also in item payloads', () => {
    const attribution = createAttribution('mine')
    attribution.add(mine(A))
    const [part] = attribution.add(logsOf(A, B, A))
    expect(part?.evidence.signals.map(({ traceId }) => traceId)).toEqual([A, A])
    const [item] = part?.evidence.items ?? []
    expect(item).toMatchObject({ quantity: 2, header: { item_count: 2 }, traceId: A })
    expect(textOf(item?.payload)).toContain('log of a')
    expect(textOf(item?.payload)).not.toContain('log of b')
  })

  it('is split by items with one trace each', () => {
    const attribution = createAttribution('mine')
    attribution.add(mine(B))
    const [part] = attribution.add(errorsOfBoth())
    expect(part?.evidence.events.map(({ traceId, item }) => ({ traceId, item }))).toEqual([{ traceId: B, item: 1 }])
    expect(part?.evidence.items.map(({ item }) => item)).toEqual([1])
    expect(part?.evidence.breadcrumbs.every(({ item }) => item === 1)).toBe(true)
  })

  it('grows when further traces are attributed, and returns the added part', () => {
    const attribution = createAttribution('mine')
    const batch = logsOf(A, B)
    expect(attribution.add(batch)).toEqual([])
    const [first] = attribution.add(mine(A))
    expect(first).toMatchObject({ submission: batch, replaces: false })
    expect(first?.added.signals.map(({ traceId }) => traceId)).toEqual([A])
    const [rest, stamped] = attribution.add(mine(B))
    expect(rest).toMatchObject({ submission: batch, replaces: true })
    expect(rest?.evidence.signals.map(({ traceId }) => traceId)).toEqual([A, B])
    expect(rest?.added.signals.map(({ traceId }) => traceId)).toEqual([B])
    expect(rest?.added.envelopes).toEqual([])
    expect(stamped?.replaces).toBe(false)
    expect(attribution.add(mine(B))).toHaveLength(1)
  })
})

describe.each(['json', 'protobuf'] as const)('a batch of OpenTelemetry with spans of two tests in %s', (encoding) => {
  const spanOf = (traceId: string, stamp: string) => ({
    ...SPAN,
    traceId,
    name: `span of ${stamp}`,
    attributes: [textAttribute('waystation.stamp', stamp)],
  })
  const batch = (): StoredSubmission => ({
    ...submission(''),
    endpoint: 'otlp_traces',
    contentType: encoding === 'json' ? 'application/json' : 'application/x-protobuf',
    body: encodeRequest('traces', encoding, tracesRequest(spanOf(A, 'mine'), spanOf(B, 'theirs'))),
  })

  it('contributes the spans of the trace whose spans carry the stamp', () => {
    const [attributed, ...others] = createAttribution('mine').add(batch())
    expect(others).toEqual([])
    expect(attributed?.evidence.spans.map(({ name }) => name)).toEqual(['span of mine'])
    expect(attributed?.evidence.items).toMatchObject([{ type: 'otlp_traces', quantity: 1, traceId: A }])
    const payload = attributed?.evidence.items[0]?.payload ?? new Uint8Array()
    const own = encodeRequest('traces', encoding, tracesRequest(spanOf(A, 'mine')))
    expect(decodeRequest('traces', encoding, payload)).toEqual(decodeRequest('traces', encoding, own))
  })

  it('adopts earlier submissions of that trace', () => {
    const attribution = createAttribution('mine')
    const earlier = unstamped(A)
    expect(attribution.add(earlier)).toEqual([])
    expect(attribution.add(batch()).map(({ submission }) => submission.seq)).toEqual([earlier.seq, earlier.seq + 1])
  })

  it('contributes nothing without the stamp', () => {
    expect(createAttribution('of another').add(batch())).toEqual([])
  })
})
