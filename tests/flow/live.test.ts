import { describe, expect, it } from 'vitest'
import type { TraceData } from '../../dashboards/traces/trace-data'
import { TraceReader } from '../../dashboards/traces/trace-reader'
import { collectorClient } from '../../lib/wire/collector-client'
import { itemsPageSchema, journalFactSchema } from '../../lib/wire/journal'
import {
  type CollectorProcess,
  digestedUpTo,
  journalOf,
  newestSeq,
  postEnvelope,
  sharedCollector,
  startCollector,
} from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'
import { follow, type Message } from './follow-stream'

const shared = sharedCollector()
const stamped = (stamp: string) => ({ 'x-waystation-stamp': stamp })

/** The first messages of a kind. */
async function take(stream: AsyncGenerator<Message>, event: string, count: number): Promise<Message[]> {
  const found: Message[] = []
  for await (const message of stream) {
    if (message.event === event) found.push(message)
    if (found.length === count) break
  }
  return found
}

const distinct = (numbers: readonly number[]): number[] => [...new Set(numbers)]

/** The first numbers of facts after a given one. A fact of one collector alone repeats a number of the shared record. */
async function takeNumbers(stream: AsyncGenerator<Message>, after: number, count: number): Promise<readonly number[]> {
  const numbers = new Set<number>()
  for await (const { event, id } of stream) {
    if (event === 'journal' && Number(id) > after) numbers.add(Number(id))
    if (numbers.size === count) break
  }
  return [...numbers]
}

/** Posts an error. */
const postError = (collector: CollectorProcess, headers: Record<string, string> = {}): Promise<Response> =>
  postEnvelope(collector, errorEnvelope(collector.dsn).body, headers)

describe('the live stream', () => {
  it('sends each fact once, in the order of the journal', async () => {
    const collector = shared()
    const before = await journalOf(collector)
    const stream = follow(collector)
    expect((await stream.next()).value).toMatchObject({ event: 'beat' })
    for (const _ of [1, 2]) await postError(collector)
    const facts: { readonly id: number; readonly data: string }[] = []
    let last = 0
    for await (const { event, id, data } of stream) {
      if (event !== 'journal') continue
      facts.push({ id: Number(id), data })
      const fact = journalFactSchema.parse(JSON.parse(data))
      if (fact.kind === 'received') last = fact.seq ?? 0
      if (fact.kind === 'digested' && fact.seq === last && facts.length >= 5) break
    }
    // Two facts `received`, two `decided`, and one or two `digested`, which have no number in a shared record.
    expect(new Set(facts.map(({ data }) => data)).size).toBe(facts.length)
    const numbers = distinct(facts.map(({ id }) => id))
    expect(numbers).toEqual(numbers.map((_, index) => before + index + 1))
  })

  it('resumes after the fact in Last-Event-ID, also after a restart of the collector', async () => {
    const collector = await startCollector()
    for (const _ of [1, 2, 3]) await postError(collector)
    await digestedUpTo(collector, await newestSeq(collector))
    expect(await takeNumbers(follow(collector, { 'last-event-id': '2' }), 2, 3)).toEqual([3, 4, 5])
    await collector.stop()
    const again = await collector.restart()
    expect(await takeNumbers(follow(again, { 'last-event-id': '1' }), 1, 2)).toEqual([2, 3])
  })

  it('sends heartbeats while nothing happens', async () => {
    const collector = shared()
    await digestedUpTo(collector, await newestSeq(collector))
    const journal = await journalOf(collector)
    const beats = await take(follow(collector), 'beat', 2)
    expect(beats.map((beat) => beat.data)).toEqual([`{"journal":${journal}}`, `{"journal":${journal}}`])
  })
})

describe('/query/items', () => {
  it('waits for an item after the cursor', async () => {
    const collector = shared()
    const waiting = fetch(`${collector.url}/query/items?after=${await journalOf(collector)}&wait=20&type=event`)
    await postError(collector, stamped('mine'))
    const page = (await (await waiting).json()) as { items: object[] }
    expect(page.items).toMatchObject([{ index: 0, type: 'event', stamp: 'mine' }])
  })

  it('leaves out items with another stamp', async () => {
    const collector = shared()
    const after = await journalOf(collector)
    await postError(collector, stamped('other'))
    const waiting = fetch(`${collector.url}/query/items?after=${after}&wait=20&stamp=ours`)
    await postError(collector, stamped('ours'))
    const page = (await (await waiting).json()) as { items: object[] }
    expect(page.items).toMatchObject([{ stamp: 'ours' }])
  })

  it('returns every item once over all pages, and never splits a submission', async () => {
    const collector = shared()
    const begin = await journalOf(collector)
    const body = [
      JSON.stringify({ dsn: collector.dsn }),
      ...Array.from({ length: 3 }, () => '{"type":"session"}\n{}'),
    ].join('\n')
    for (const _ of [1, 2, 3]) await postEnvelope(collector, body)
    await digestedUpTo(collector, await newestSeq(collector))
    for (const limit of [1, 2, 3, 4, 1000]) {
      const seen: { readonly seq: number; readonly index: number }[] = []
      for (let after = begin; ; ) {
        const page = itemsPageSchema.parse(
          await (await fetch(`${collector.url}/query/items?after=${after}&limit=${limit}`)).json(),
        )
        if (page.items.length === 0) break
        seen.push(...page.items)
        after = page.next
      }
      const seqs = distinct(seen.map(({ seq }) => seq))
      const names = seen.map(({ seq, index }) => `${seqs.indexOf(seq) + 1}.${index}`)
      expect([limit, names]).toEqual([limit, ['1.0', '1.1', '1.2', '2.0', '2.1', '2.2', '3.0', '3.1', '3.2']])
    }
  })

  it('returns an empty page when the wait times out', async () => {
    const after = await journalOf(shared())
    const page = await (await fetch(`${shared().url}/query/items?after=${after}&wait=1`)).json()
    expect(page).toEqual({ items: [], next: after })
  })

  it.each([
    ['/query/items?after=x', 'after=x'],
    ['/query/items?wait=61', 'wait=61'],
    ['/query/items?stmp=a', 'did you mean stamp?'],
    ['/query/traces?limit=0', 'limit=0'],
    ['/query/traces?limit=201', 'from 1 to 200'],
    ['/query/traces?cursor=%27', 'must be the "next" of an earlier page'],
    ['/query/traces/nope', 'it must have 32 hex digits'],
    ['/query/traces/nope/columns', 'it must have 32 hex digits'],
    ['/query/traces/nope/columns?after=x', 'after=x'],
    ['/query/traces/nope/columns?segment=x', 'it must have 16 hex digits'],
    ['/query/traces/nope/columns?aftr=1', 'did you mean after?'],
    ['/query/envelopes/nope', 'is not an envelope number'],
  ])('rejects %s and says what is valid', async (path, sentence) => {
    const response = await fetch(`${shared().url}${path}`)
    expect(response.status).toBe(400)
    expect(((await response.json()) as { detail: string }).detail).toContain(sentence)
  })
})

describe('an open trace', () => {
  it('sends no request for 20 envelopes of others, and one for an error of its own', async () => {
    const collector = shared()
    const requests: string[] = []
    const client = collectorClient(collector.url, (input, init) => {
      requests.push(String(input))
      return fetch(input, init)
    })
    const stream = follow(collector)
    await stream.next()
    /** The facts until a submission is digested and decided. */
    const factsUntil = async (seq: number) => {
      const facts = []
      const missing = new Set(['digested', 'decided'])
      for (; missing.size > 0; ) {
        const { event, data } = (await stream.next()).value ?? {}
        if (event !== 'journal') continue
        const fact = journalFactSchema.parse(JSON.parse(data))
        facts.push(fact)
        if (fact.kind === 'digested' ? (fact.seq ?? 0) >= seq : fact.seq === seq) missing.delete(fact.kind)
      }
      return facts
    }
    const { traceId, body } = transactionEnvelope(collector.dsn, { children: 3 })
    await postEnvelope(collector, body)
    await factsUntil(await newestSeq(collector))
    const shown: (TraceData | null)[] = []
    const reader = new TraceReader(traceId, {
      pieces: (options, signal) => client.traceColumns(traceId, options, signal),
      show: (trace) => shown.push(trace),
      now: () => performance.now(),
    })
    await reader.read()
    expect(shown.at(-1)).toMatchObject({ received: 4, expected: 4, isWhole: true, gaps: [] })
    requests.length = 0

    const follows = async (): Promise<void> => {
      for (const fact of await factsUntil(await newestSeq(collector))) if (reader.concerns(fact)) await reader.read()
    }
    for (let n = 0; n < 20; n += 1) await postError(collector)
    await follows()
    expect(requests).toEqual([])

    await postEnvelope(collector, errorEnvelope(collector.dsn, { traceId }).body)
    await follows()
    expect(requests[0]).toContain(`/query/traces/${traceId}/columns?after=`)
    expect(requests.length).toBeLessThanOrEqual(2)
    expect(shown.at(-1)).toMatchObject({ received: 4, errors: [{ traceId }], isWhole: true })
  })
})
