import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { type SignalRow, signalsPageSchema } from '../../lib/wire/signal'
import { capturedBytes, capturedEnvelope } from '../unit/protocol/captured'
import { type CollectorProcess, digested, endCollectors, postEnvelope, startCollector } from './collector-process'

afterAll(endCollectors)

describe('signals', () => {
  let collector: CollectorProcess
  let sent = 0
  const client = () => collectorClient(collector.url, fetch)
  const send = async (body: string | Uint8Array, items: number): Promise<void> => {
    const answer = await postEnvelope(collector, body)
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
    sent += items
    await digested(collector, sent)
  }
  /** Sends a captured body. Only its DSN is replaced, because it belongs to another application. */
  const sendCaptured = async (name: string): Promise<void> => {
    const bytes = capturedBytes(`envelopes/${name}`)
    const { header, headerEnd, items } = capturedEnvelope(`envelopes/${name}`)
    const first = Buffer.from(JSON.stringify({ ...header, dsn: collector.dsn }))
    await send(Buffer.concat([first, bytes.subarray(headerEnd)]), items.length)
  }
  const sendItem = (type: string, payload: object, header: object = {}): Promise<void> =>
    send(
      [JSON.stringify({ dsn: collector.dsn, ...header }), JSON.stringify({ type }), JSON.stringify(payload)].join('\n'),
      1,
    )
  const newest = async (kind: SignalRow['kind'], limit = 1): Promise<readonly SignalRow[]> =>
    (await client().signals(kind, { limit })).signals
  const get = async (path: string): Promise<{ readonly status: number; readonly detail: unknown }> => {
    const answer = await fetch(`${collector.url}/query${path}`)
    const body = (await answer.json()) as { detail?: unknown }
    return { status: answer.status, detail: body.detail }
  }

  beforeAll(async () => {
    collector = await startCollector()
  })

  it.each<[string, SignalRow['kind'], object]>([
    [
      'browser-11.8-metrics',
      'metric',
      { name: 'lat', service: 'browser', fields: { value: 187, unit: 'millisecond' } },
    ],
    ['browser-11.8-session', 'session', { level: 'ok', release: 'feas@1.0.0', service: 'browser' }],
    ['server-11.8-sessions', 'session', { name: '172 exited', fields: { exited: 172 } }],
    ['browser-11.8-client-report', 'client_report', { fields: { category: 'span', quantity: 2 }, service: null }],
    ['browser-11.8-error-with-attachments', 'attachment', { fields: { bytes: 7 }, name: 'bin.dat' }],
    ['browser-11.8-feedback', 'feedback', { name: 'It broke', fields: { contact: 'ann@example.com' } }],
    ['browser-7.80-user-report', 'feedback', { eventId: 'bdd25c30cd844604a9e3b089bddd689b' }],
    ['browser-11.8-replay', 'replay', { fields: { segment: 1, recordingBytes: 3005 }, service: 'browser' }],
    ['browser-7.80-profile', 'profile', { name: '/', fields: { durationMs: 1096.8 } }],
    ['browser-11.8-profile-chunk', 'profile', { fields: { samples: 119 } }],
    ['cli-2.58-check-in', 'check_in', { name: 'nightly', level: 'in_progress' }],
  ])(
    'the list of signals shows those from %s as kind %s, with the delivery status of the item',
    async (name, kind, expected) => {
      await sendCaptured(name)
      const [signal] = await newest(kind)
      expect(signal).toMatchObject({
        kind,
        ...expected,
        copy: 'no',
        deliveryStatus: { name: 'kept', reason: 'no_upstream' },
      })
    },
  )

  it('are listed newest first, page by page, without gaps or repeats', async () => {
    await sendCaptured('browser-11.8-logs')
    const items = Array.from({ length: 23 }, (_, index) => ({
      timestamp: 1_795_000_000,
      level: 'info',
      body: `log ${index}`,
    }))
    await sendItem('log', { items })
    const seen: string[] = []
    for (let cursor: string | null = null; ; ) {
      const page = await client().signals('log', { limit: 10, cursor })
      seen.push(...page.signals.map((signal) => signal.name))
      if (page.next === null) break
      cursor = page.next
    }
    const bodies = items.map((item) => item.body).reverse()
    expect(seen).toEqual([...bodies, 'f', 'e', 'w', 'user u1 did 3', 'a debug', 'a trace'])
  })

  it('are counted by kind, including kinds without signals', async () => {
    await sendItem('log', { items: [{ body: 'one more' }] })
    const before = await client().signalCounts()
    await sendItem('log', { items: [{ body: 'two' }, { body: 'three' }] })
    const after = await client().signalCounts()
    expect(after.counts).toEqual({ ...before.counts, log: before.counts.log + 2 })
    expect(after.counts.security).toBe(0)
  })

  it('are filtered by envelope, page by page', async () => {
    const logAt = (at: number) => ({
      timestamp: 1_795_000_000 + at,
      trace_id: 'ab'.repeat(16),
      level: 'info',
      body: `b${at}`,
    })
    const item = { item_count: 5, content_type: 'application/vnd.sentry.items.log+json' }
    const lines = [{ dsn: collector.dsn }, { type: 'log', ...item }, { items: [0, 1, 2, 3, 4].map(logAt) }]
    await send(lines.map((line) => JSON.stringify(line)).join('\n'), 1)
    const seq = (await newest('log'))[0]?.seq
    await sendCaptured('browser-11.8-logs')
    const filter = { envelope: String(seq) }
    const first = await client().signals('log', { filter, limit: 3 })
    const second = await client().signals('log', { filter, limit: 3, cursor: first.next })
    expect([...first.signals, ...second.signals].map(({ seq, name }) => [seq, name])).toEqual(
      ['b4', 'b3', 'b2', 'b1', 'b0'].map((name) => [seq, name]),
    )
    expect(second.next).toBeNull()
    expect(await get('/signals?kind=log&envelope=x')).toEqual({
      status: 400,
      detail: 'envelope=x: must be the number of an envelope',
    })
  })

  it('a trace returns signals of all kinds together, sorted by time', async () => {
    const trace_id = 'ac'.repeat(16)
    await sendItem('log', {
      items: [
        { timestamp: 20, body: 'last', trace_id },
        { timestamp: 10, body: 'first', trace_id },
      ],
    })
    await sendItem('trace_metric', { items: [{ timestamp: 15, name: 'between', trace_id, type: 'counter', value: 1 }] })
    const { signals, next } = await client().signalsOfTrace(trace_id)
    expect(signals.map(({ kind, name }) => [kind, name])).toEqual([
      ['log', 'first'],
      ['metric', 'between'],
      ['log', 'last'],
    ])
    expect(next).toBeNull()
  })

  it('signals with the same key become one row with the latest state, in any order of arrival', async () => {
    const sid = 'sent in any order?/#%'
    const session = (ms: number, status: string, errors: number) =>
      sendItem('session', { sid, timestamp: new Date(1.79e12 + ms).toISOString(), status, errors })
    await session(9, 'exited', 2)
    await session(1, 'ok', 0)
    await session(5, 'ok', 1)
    await session(9, 'exited', 2)
    const found = await client().signal('session', sid)
    expect(found?.signal).toMatchObject({ key: sid, level: 'exited', fields: { errors: 2 } })
    expect((await newest('session', 50)).filter((signal) => signal.key === sid)).toHaveLength(1)
  })

  it('are paged with any characters in their keys', async () => {
    const keys = ['a/b', 'ü-~', '0.000.1', 'x y', '%2F']
    const body = [JSON.stringify({ dsn: collector.dsn })]
    for (const sid of keys) body.push(JSON.stringify({ type: 'session' }), JSON.stringify({ sid }))
    await send(body.join('\n'), keys.length)
    const seen: string[] = []
    for (let cursor: string | null = null; seen.length < keys.length; ) {
      const page = await client().signals('session', { limit: 1, cursor })
      seen.push(...page.signals.map((signal) => signal.key))
      cursor = page.next
    }
    expect(seen.toSorted()).toEqual(keys.toSorted())
    for (const key of keys) expect((await client().signal('session', key))?.signal.key).toBe(key)
  })

  it('the signal of a security report names the blocked address', async () => {
    const report = {
      'effective-directive': 'img-src',
      'blocked-uri': 'https://a.example/x',
      'document-uri': 'https://b.example',
    }
    await sendItem('raw_security', { 'csp-report': report })
    expect(await newest('security')).toMatchObject([
      { name: 'img-src blocked https://a.example/x', service: 'browser' },
    ])
  })

  it('an unreadable signal becomes a problem of its item, and the envelope is digested', async () => {
    await sendItem('session', { no: 'sid' })
    const [envelope] = (await client().envelopes({ limit: 1 })).envelopes
    expect(envelope).toMatchObject({
      digest: 'digested',
      items: [{ type: 'session', problem: 'the session has no sid' }],
    })
  })

  it('each kind of signal has an address of its own', async () => {
    const asKind = await fetch(`${collector.url}/query/signals?kind=check_in`)
    const asList = await fetch(`${collector.url}/query/check-ins`)
    const [list, kind] = [signalsPageSchema.parse(await asList.json()), signalsPageSchema.parse(await asKind.json())]
    expect(list.signals).toEqual(kind.signals)
    expect(list.signals.length).toBeGreaterThan(0)
  })

  it.each([
    ['/signals', 'kind: must be one of log, metric'],
    ['/signals?kind=logs', '"logs" is not a kind of signal; did you mean log?'],
    ['/signals/sesion/x', 'did you mean session?'],
    ['/signals?kind=log&trace=1', 'not possible with trace'],
    ['/signals?trace=xyz', 'must be a trace id of 32 hex digits'],
    ['/signals?knid=log', 'did you mean kind?'],
    ['/signals?kind=log&cursor=1-~%20', 'must be the "next" of an earlier page'],
    ['/logs?kind=log', 'there is no parameter "kind" here'],
  ])('reject %s with 400 and say what is valid', async (path, sentence) => {
    expect(await get(path)).toEqual({ status: 400, detail: expect.stringContaining(sentence) })
  })

  it('the collector answers 404 for a signal that does not exist', async () => {
    expect(await get('/signals/log/none')).toMatchObject({ status: 404 })
    expect(await client().signal('log', 'none')).toBeNull()
    expect((await client().signalsOfTrace('00'.repeat(16))).signals).toEqual([])
  })
})
