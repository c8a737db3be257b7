import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CollectorClient, collectorClient } from '../../lib/wire/collector-client'
import { readRefusal } from '../../lib/wire/errors'
import { type SpanRow, traceDetailSchema } from '../../lib/wire/trace'
import type { TracePiece } from '../../lib/wire/trace-columns'
import { type CollectorProcess, digested, endCollectors, postEnvelope, startCollector } from './collector-process'
import { spanEnvelope, transactionEnvelope } from './envelopes'

afterAll(endCollectors)

/** Envelopes of a thousand spans; the first one is sent twice. */
const CONTAINERS = 25

describe('a trace of many thousands of spans', () => {
  let collector: CollectorProcess
  let traceId = ''
  beforeAll(async () => {
    collector = await startCollector()
    const first = spanEnvelope(collector.dsn, { children: 999 })
    traceId = first.traceId
    const bodies = [first.body]
    for (let n = 1; n < CONTAINERS; n += 1)
      bodies.push(
        spanEnvelope(collector.dsn, { traceId, segmentId: first.spanId, withSegment: false, children: 1000 }).body,
      )
    for (const body of [...bodies, first.body]) expect((await postEnvelope(collector, body)).status).toBe(200)
    await digested(collector, CONTAINERS + 1)
  })

  const get = (query = '', signal?: AbortSignal): Promise<Response> =>
    fetch(`${collector.url}/query/traces/${traceId}${query}`, signal === undefined ? {} : { signal })

  it('is streamed, with each span once', async () => {
    const response = await get()
    expect(response.headers.get('transfer-encoding')).toBe('chunked')
    const trace = traceDetailSchema.parse(await response.json())
    expect(trace.summary.spanCount).toBe(CONTAINERS * 1000)
    expect(trace.segments).toMatchObject([{ spanCount: CONTAINERS * 1000 }])
    expect(trace.truncated).toBe(false)
    expect(trace.spans).toHaveLength(CONTAINERS * 1000)
    expect(new Set(trace.spans.map(({ spanId }) => spanId)).size).toBe(CONTAINERS * 1000)
  })

  it('is truncated after the requested number of spans', async () => {
    const trace = traceDetailSchema.parse(await (await get('?spans=1')).json())
    expect([trace.spans.length, trace.truncated]).toEqual([1, true])
    expect((await collectorClient(collector.url, fetch).trace(traceId))?.spans).toHaveLength(20_000)
  })

  it.each(['0', '100001', 'many'])('is refused with 400 for spans=%s', async (spans) => {
    const response = await get(`?spans=${spans}`)
    expect(response.status).toBe(400)
    expect((await readRefusal(response)).message).toContain('a whole number from 1 to 100000')
  })

  it('is answered after 40 clients that disconnected early', async () => {
    for (let n = 0; n < 40; n += 1) {
      const gone = new AbortController()
      const response = await get('', gone.signal)
      expect(response.status).toBe(200)
      await response.body?.getReader().read()
      gone.abort()
    }
    const trace = traceDetailSchema.parse(await (await get()).json())
    expect(trace.spans).toHaveLength(CONTAINERS * 1000)
  })

  it('has a segment that is compared with others of its operation', async () => {
    const client = collectorClient(collector.url, fetch)
    const [segment] = (await client.segments({ filter: { trace: traceId } })).segments
    expect(await client.usual(traceId, segment?.segmentId ?? '')).toEqual({ durationsUs: [], isCut: false })
    expect(await client.usual(traceId, 'f'.repeat(16))).toBeNull()
    const invalid = await fetch(`${collector.url}/query/segments/${traceId}/1/usual`)
    expect(invalid.status).toBe(400)
    expect((await readRefusal(invalid)).message).toContain('16 hex')
  })

  it('is streamed in columns, with each span once, also after 40 clients that disconnected early', async () => {
    const client = collectorClient(collector.url, fetch)
    for (let n = 0; n < 40; n += 1)
      for await (const piece of client.traceColumns(traceId)) if (piece.kind === 'spans') break
    const pieces: TracePiece[] = []
    for await (const piece of client.traceColumns(traceId)) pieces.push(piece)
    const ids = pieces.flatMap((piece) => (piece.kind === 'spans' ? piece.spans.map(({ spanId }) => spanId) : []))
    expect([ids.length, new Set(ids).size]).toEqual([CONTAINERS * 1000, CONTAINERS * 1000])
    expect(pieces[0]).toMatchObject({ kind: 'head', lists: { segments: [{ spanCount: CONTAINERS * 1000 }] } })
    expect(pieces.at(-1)).toMatchObject({ kind: 'end', end: { gaps: [], spans: CONTAINERS * 1000 } })
    for await (const piece of client.traceColumns('b'.repeat(32))) expect(piece).toBeUndefined()
  })
})

/** The spans of all pages: on a busy machine a page ends early, with a cursor. */
async function everySpan(client: CollectorClient, query: Parameters<CollectorClient['spans']>[0] = {}) {
  const spans: SpanRow[] = []
  for (let cursor: string | null = null; ; ) {
    const page = await client.spans({ ...query, ...(cursor !== null && { cursor }) })
    spans.push(...page.spans)
    cursor = page.next
    if (cursor === null) return spans
  }
}

it('spans are listed, filtered and returned by their ids', async () => {
  const collector = await startCollector()
  const client = collectorClient(collector.url, fetch)
  const made = transactionEnvelope(collector.dsn, { children: 3 })
  const other = spanEnvelope(collector.dsn, { children: 2 })
  for (const { body } of [made, other]) expect((await postEnvelope(collector, body)).status).toBe(200)
  await digested(collector, 2)
  const all = await everySpan(client)
  expect(all.map(({ traceId }) => traceId)).toEqual([...Array(3).fill(other.traceId), ...Array(4).fill(made.traceId)])
  const first = await client.spans({ filter: { trace: made.traceId }, limit: 3 })
  expect(first.next).not.toBeNull()
  expect(await everySpan(client, { filter: { trace: made.traceId }, limit: 3 })).toEqual(all.slice(3))
  expect(await everySpan(client, { filter: { op: 'ui.task', text: 'child' } })).toHaveLength(2)
  const [span] = first.spans
  expect((await client.span(made.traceId, span?.spanId ?? ''))?.span).toEqual(span)
  expect(await client.span(other.traceId, span?.spanId ?? '')).toBeNull()
  expect((await fetch(`${collector.url}/query/spans/${made.traceId}/1`)).status).toBe(400)
  const wrong = await fetch(`${collector.url}/query/spans?relase=1`)
  expect([wrong.status, (await readRefusal(wrong)).message]).toEqual([
    400,
    'there is no parameter "relase" here; did you mean release?',
  ])
})
