import { describe, expect, it } from 'vitest'
import type { StoredSubmission } from '../../../../lib/protocol/submission'
import { decodeSubmission, readEvidence } from '../../../../lib/verdict/evidence/read-evidence'
import { capturedBytes, capturedNames } from '../../protocol/captured'

const submission = (body: string | Uint8Array, given: Partial<StoredSubmission> = {}): StoredSubmission => ({
  seq: 1,
  journal: 1,
  receivedAt: 1_795_000_000_000,
  endpoint: 'tunnel',
  project: '1',
  publicKey: 'key',
  stamp: null,
  page: null,
  userAgent: null,
  origin: null,
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  ...given,
})

const captured = (name: string, given: Partial<StoredSubmission> = {}): StoredSubmission =>
  submission(capturedBytes(`envelopes/${name}`), given)

const TRACE = 'a'.repeat(32)
const idOf = (n: number): string => n.toString(16).padStart(16, '0')
const lines = (...values: readonly object[]): string => values.map((one) => JSON.stringify(one)).join('\n')

/** A container of streamed spans: segments and their children. */
const container = (...kinds: readonly ('segment' | 'child')[]): string => {
  const items = kinds.map((kind, index) => ({
    trace_id: TRACE,
    span_id: idOf(index + 1),
    is_segment: kind === 'segment',
    name: `${kind} ${index + 1}`,
    start_timestamp: 1_795_000_000 + index,
    end_timestamp: 1_795_000_001 + index,
    attributes: { own: { value: index + 1, type: 'integer' } },
  }))
  const header = { type: 'span', item_count: items.length, content_type: 'application/vnd.sentry.items.span.v2+json' }
  return lines({}, header, { items })
}

describe('evidence', () => {
  it('has a segment with attributes and spans for a static transaction', () => {
    const { segments, spans } = readEvidence([captured('browser-11.8-static-navigation')])
    const own = spans.find(({ isSegment }) => isSegment)
    expect(segments).toMatchObject([
      { name: '/other', op: 'navigation', lifecycle: 'static', seq: 1, item: 0, segmentId: own?.spanId },
    ])
    expect(segments[0]?.attributes).toBe(own?.attributes)
    expect(Object.keys(own?.attributes ?? {})).toContain('sentry.origin')
    expect(spans.map(({ isSegment }) => isSegment)).toEqual([true, false, false])
  })

  it('has a segment with attributes and spans for streamed spans', () => {
    const { segments, spans } = readEvidence([captured('browser-11.8-navigation-spans')])
    const own = spans.find(({ isSegment }) => isSegment)
    expect(segments).toMatchObject([
      {
        name: '/other',
        op: 'navigation',
        lifecycle: 'stream',
        segmentId: own?.spanId,
        attributes: { 'url.path': '/other' },
      },
    ])
    expect(spans).toHaveLength(6)
  })

  it('has late spans without their segment', () => {
    const { segments, spans } = readEvidence([captured('browser-11.8-late-spans')])
    expect([segments, spans.map(({ isSegment }) => isSegment)]).toEqual([[], [false, false]])
  })

  it('gives each segment of a container its own attributes, also with equal ids', () => {
    const twice = container('child', 'segment', 'child', 'segment').replaceAll(idOf(4), idOf(2))
    const { segments } = readEvidence([submission(twice), submission(container('segment'), { seq: 2 })])
    expect(segments.map(({ seq, segmentId, name, attributes }) => [seq, segmentId, name, attributes])).toEqual([
      [1, idOf(2), 'segment 2', { own: 2 }],
      [1, idOf(2), 'segment 4', { own: 4 }],
      [2, idOf(1), 'segment 1', { own: 1 }],
    ])
  })

  it('has an error with its breadcrumbs and attachments', () => {
    const { events, breadcrumbs, items, signals } = readEvidence([captured('browser-11.8-error-with-attachments')])
    const [event] = events
    expect(event).toMatchObject({ title: 'Error: with attachments', service: 'browser', seq: 1, item: 0 })
    expect(breadcrumbs.map(({ eventId, index, item }) => [eventId, index, item])).toEqual(
      [0, 1, 2, 3, 4, 5].map((index) => [event?.eventId, index, 0]),
    )
    expect(breadcrumbs.map(({ timestampUs }) => timestampUs)).toEqual(
      breadcrumbs.map(({ timestampUs }) => timestampUs).toSorted((a, b) => Number(a) - Number(b)),
    )
    expect(items.map(({ type, item, problem }) => [type, item, problem])).toEqual([
      ['event', 0, null],
      ['attachment', 1, null],
      ['attachment', 2, null],
    ])
    expect(signals.map(({ kind, item }) => [kind, item])).toEqual([
      ['attachment', 1],
      ['attachment', 2],
    ])
  })

  it.each([
    ['browser-11.8-client-report', 'client_report'],
    ['browser-11.8-feedback', 'feedback'],
    ['browser-11.8-logs', 'log'],
    ['browser-11.8-metrics', 'metric'],
    ['browser-11.8-profile-chunk', 'profile'],
    ['browser-11.8-replay', 'replay'],
    ['browser-11.8-session', 'session'],
    ['browser-7.80-user-report', 'feedback'],
    ['cli-2.58-check-in', 'check_in'],
    ['server-11.8-sessions', 'session'],
  ])('has the signals of %s', (name, kind) => {
    const { signals } = readEvidence([captured(name, { stamp: 'mine', page: 'p1' })])
    expect(signals.length).toBeGreaterThan(0)
    for (const signal of signals) expect(signal).toMatchObject({ kind, seq: 1, item: 0, stamp: 'mine', page: 'p1' })
  })

  it('has every item with bytes, category and quantity, in order', () => {
    const evidence = readEvidence(
      capturedNames.map((name, index) => submission(capturedBytes(name), { seq: index + 1 })),
    )
    expect(evidence.envelopes.map(({ seq }) => seq)).toEqual(capturedNames.map((_, index) => index + 1))
    for (const item of evidence.items) {
      const problem = ['form_data', 'replay_video', 'statsd'].includes(item.type) ? 'not read' : null
      expect([item.type, item.quantity > 0, item.problem]).toEqual([item.type, true, problem])
      expect(item.payload).toBeInstanceOf(Uint8Array)
    }
    const positions = evidence.items.map(({ seq, item }) => seq * 1000 + item)
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))
  })

  it('has SDK, length and header of an envelope', () => {
    const body = capturedBytes('envelopes/browser-11.8-static-navigation')
    const { envelopes } = readEvidence([
      submission(body, { userAgent: 'Mozilla/5.0', origin: 'http://localhost:3000' }),
    ])
    expect(envelopes).toMatchObject([
      {
        bytes: body.length,
        copy: false,
        userAgent: 'Mozilla/5.0',
        origin: 'http://localhost:3000',
        endpoint: 'tunnel',
      },
    ])
    expect(envelopes[0]?.sdk).toMatch(/^sentry\.javascript\.\w+ 11\.8\.0$/)
    expect(envelopes[0]?.header).toHaveProperty('event_id')
    expect(envelopes[0]).not.toHaveProperty('body')
  })

  it('marks copies in every list', () => {
    for (const name of capturedNames) {
      const evidence = readEvidence([submission(capturedBytes(name), { endpoint: 'stream' })])
      for (const list of Object.values(evidence).flat()) expect([name, list.copy]).toEqual([name, true])
    }
  })

  it('has the parse error of an item, and all other items', () => {
    const log = { type: 'log', item_count: 1, content_type: 'application/vnd.sentry.items.log+json' }
    const { items, events } = readEvidence([submission(lines({}, log, [], { type: 'unheard-of' }, { a: 1 }))])
    expect(items.map(({ type, problem }) => [type, problem])).toEqual([
      ['log', 'the payload is JSON, but not an object'],
      ['unheard-of', 'not read'],
    ])
    expect(events).toEqual([])
  })

  it('has the bare event of an old SDK', () => {
    const event = { event_id: 'b'.repeat(32), exception: { values: [{ type: 'Error', value: 'old' }] } }
    const { events, items } = readEvidence([submission(JSON.stringify(event), { endpoint: 'store' })])
    expect([events.map(({ title }) => title), items.map(({ type }) => type)]).toEqual([['Error: old'], ['event']])
  })

  it('is empty without submissions', () => {
    for (const list of Object.values(readEvidence([]))) expect(list).toEqual([])
  })

  it('throws for a body that is not an envelope', () => {
    expect(() => readEvidence([submission('no envelope')])).toThrow('the record is not an envelope')
  })
})

it('a submission from the collector is decoded byte for byte', () => {
  const bytes = Uint8Array.from({ length: 512 }, (_, index) => index % 256)
  const { body, ...facts } = submission(bytes)
  expect(decodeSubmission({ ...facts, body: Buffer.from(body).toString('base64') })).toEqual(submission(bytes))
})
