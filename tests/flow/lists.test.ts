import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { collectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  digested,
  endCollectors,
  factAfter,
  newestSeq,
  postEnvelope,
  startCollector,
} from './collector-process'
import { errorEnvelope, type MadeEnvelope, transactionEnvelope } from './envelopes'

describe('lists', () => {
  let collector: CollectorProcess
  let standIn: StandIn
  let refused: MadeEnvelope
  let timeout: MadeEnvelope
  const client = () => collectorClient(collector.url, fetch)
  /** The numbers of the envelopes in the order of their posts. */
  const seqOf: number[] = []

  beforeAll(async () => {
    standIn = await startStandIn()
    collector = await startCollector({ WAYSTATION_UPSTREAM: formatDsn(standIn.dsn) })
    refused = errorEnvelope(collector.dsn, { message: 'card refused', breadcrumbs: 3 })
    timeout = errorEnvelope(collector.dsn, { message: 'gateway timeout' })
    const log = [
      JSON.stringify({ dsn: collector.dsn }),
      JSON.stringify({ type: 'log', item_count: 2, content_type: 'application/vnd.sentry.items.log+json' }),
      JSON.stringify({
        items: [
          { timestamp: 1_795_000_000, level: 'warn', body: 'Login failed for ann', attributes: {} },
          { timestamp: 1_795_000_001, level: 'info', body: 'logged in', attributes: {} },
        ],
      }),
    ].join('\n')
    const headers = { 'x-sentry-rate-limits': '600:error:key:quota' }
    const refusal = { status: 422, headers, body: 'too large' }
    let decided = 0
    for (const [index, body] of [refused.body, timeout.body, transactionEnvelope(collector.dsn).body, log].entries()) {
      if (index === 3) standIn.play({ answers: [refusal] })
      expect((await postEnvelope(collector, body, { 'x-waystation-stamp': `stamp-${index}` })).status).toBe(200)
      decided = await factAfter(collector, 'decided', decided)
      seqOf.push(await newestSeq(collector))
    }
    await digested(collector, 4)
  })
  afterAll(async () => {
    await standIn.close()
    endCollectors()
  })

  it('the list of events filters by text, level, stamp and trace', async () => {
    const ids = async (filter: Record<string, string>) =>
      (await client().events({ filter })).events.map(({ eventId }) => eventId)
    expect(await ids({ text: 'CARD ref' })).toEqual([refused.eventId])
    expect(await ids({ handled: 'true', environment: 'production' })).toEqual([timeout.eventId, refused.eventId])
    expect(await ids({ stamp: 'stamp-1' })).toEqual([timeout.eventId])
    expect(await ids({ trace: refused.traceId })).toEqual([refused.eventId])
    expect(await ids({ level: 'fatal' })).toEqual([])
    expect(await ids({ since: '1m' })).toEqual([])
  })

  it('the lists of signals filter the same way, at both of their addresses', async () => {
    const names = async (path: string) =>
      ((await (await fetch(`${collector.url}/query/${path}`)).json()) as { signals: { name: string }[] }).signals.map(
        ({ name }) => name,
      )
    expect(await names('logs?text=log')).toEqual(['logged in', 'Login failed for ann'])
    expect(await names('signals?kind=log&level=warn')).toEqual(['Login failed for ann'])
    expect(await names('logs?name=logged%20in&until=2026-11-19')).toEqual(['logged in'])
    expect(await names('metrics?text=log')).toEqual([])
  })

  it('the list of envelopes filters by items and delivery status', async () => {
    const seqs = async (filter: Record<string, string>) =>
      (await client().envelopes({ filter })).envelopes.map(({ seq }) => seq)
    const [first, second, third, fourth] = seqOf
    expect(await seqs({ type: 'event' })).toEqual([second, first])
    expect(await seqs({ delivery: 'accepted' })).toEqual([third, second, first])
    expect(await seqs({ delivery: 'invalid' })).toEqual([fourth])
    expect(await seqs({ stamp: 'stamp-2', endpoint: 'tunnel' })).toEqual([third])
    expect(await seqs({ trace: timeout.traceId })).toEqual([second])
    expect(await seqs({ endpoint: 'store' })).toEqual([])
  })

  it('the list of deliveries filters by status, and the list of outcomes by outcome', async () => {
    const seq = seqOf[3] ?? 0
    const { deliveries } = await client().deliveries({ filter: { status: '422' } })
    expect(deliveries).toMatchObject([{ seq, status: 422, answer: 'too large' }])
    const { outcomes } = await client().outcomes({ filter: { outcome: 'invalid' } })
    expect(outcomes).toMatchObject([
      { seq, item: null, outcome: 'invalid', reason: 'upstream_422', category: 'log_item', quantity: 2 },
    ])
    expect(await client().outcomesOf(seq)).toMatchObject({ seq, outcomes })
    expect(await client().outcomesOf(99)).toBeNull()
  })

  it('the list of breadcrumbs is newest first for all events, and in recorded order for one event', async () => {
    const { breadcrumbs } = await client().breadcrumbs({ filter: { category: 'ui.click', trace: refused.traceId } })
    expect(breadcrumbs.map(({ message }) => message)).toEqual(['step 2', 'step 1', 'step 0'])
    const trail = await client().breadcrumbs({ filter: { event: refused.eventId } })
    expect(trail.breadcrumbs).toEqual([...breadcrumbs].reverse())
  })

  it('the list of limits contains the limits that upstream sent', async () => {
    const { limits, now } = await client().limits()
    expect(limits).toMatchObject([{ category: 'error', reason: 'quota' }])
    expect(limits[0]?.until).toBeGreaterThan(now)
  })

  it.each([
    ['events?levle=error', 'there is no parameter "levle" here; did you mean level?'],
    ['events?handled=yes', 'handled=yes: must be one of true, false, unknown'],
    [
      'logs?trace=1',
      'there is no parameter "trace" here; known are level, name, since, until, text, environment, release, service, stamp, envelope, own, page, project, q, cursor, limit',
    ],
    ['logs?levl=1', 'there is no parameter "levl" here; did you mean level?'],
    ['signals?kind=log&tex=a', 'there is no parameter "tex" here; did you mean text?'],
    [
      `signals?trace=${'a'.repeat(32)}&level=a`,
      'level: not possible with trace; the signals of a trace come in one answer',
    ],
    [
      'envelopes?delivery=excepted',
      'delivery=excepted: must be one of pending, accepted, kept, filtered, rate_limited, invalid, overflow, expired, dropped, copy; did you mean accepted?',
    ],
    [
      'envelopes?endpoint=websocket',
      'endpoint=websocket: must be one of envelope, tunnel, stream, store, security, minidump, unreal, nel, cron, attachments, otlp_traces, otlp_logs, otlp_metrics',
    ],
    ['deliveries?status=ok', 'status=ok: must be a status from 100 to 599, or none for a delivery without an answer'],
    ['deliveries?envelope=one', 'envelope=one: must be the number of an envelope'],
    [
      'outcomes?outcome=lost',
      'outcome=lost: must be one of accepted, kept, filtered, rate_limited, invalid, overflow, expired, dropped',
    ],
    ['outcomes/one', '"one" is not an envelope number'],
    ['breadcrumbs?event=1', 'event=1: must be an event id of 32 hex digits'],
    [
      `breadcrumbs?event=${'a'.repeat(32)}&limit=5`,
      'limit: not possible with event; the breadcrumbs of an event come in one answer',
    ],
    ['breadcrumbs?txt=a', 'there is no parameter "txt" here; did you mean text?'],
    ['items?typ=event', 'there is no parameter "typ" here; did you mean type?'],
    ['items?stamp=', 'stamp is empty; give it a value or leave it out'],
    ['overview?since=1m', 'there is no parameter "since" here'],
    ['storage?x=1', 'there is no parameter "x" here'],
    ['limits?x=1', 'there is no parameter "x" here'],
    ['signals/counts?kind=log', 'there is no parameter "kind" here'],
    [
      'events?since=2026-11-20&until=2026-11-19',
      'since is 2026-11-20T00:00:00.000Z and until 2026-11-19T00:00:00.000Z: until must be after since',
    ],
  ])('reject a wrong parameter with the valid values: %s', async (path, detail) => {
    const response = await fetch(`${collector.url}/query/${path}`)
    expect([response.status, await response.json()]).toMatchObject([400, { detail, causes: [] }])
  })
})
