import { afterAll, describe, expect, it } from 'vitest'
import { itemsPageSchema, journalFactSchema } from '../../lib/wire/journal'
import {
  type CollectorProcess,
  digested,
  endCollectors,
  factAfter,
  postEnvelope,
  startCollector,
} from './collector-process'
import { errorEnvelope } from './envelopes'

afterAll(endCollectors)

interface Message {
  readonly event: string
  readonly id: string | null
  readonly data: string
}

/** Reads the live stream message by message. */
async function* follow(collector: CollectorProcess, headers: Record<string, string> = {}): AsyncGenerator<Message> {
  const abort = new AbortController()
  const response = await fetch(`${collector.url}/query/stream`, { headers, signal: abort.signal })
  let text = ''
  try {
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      for (let cut = text.indexOf('\n\n'); cut >= 0; cut = text.indexOf('\n\n')) {
        const fields = new Map(
          text
            .slice(0, cut)
            .split('\n')
            .map((line): [string, string] => [line.split(':', 1)[0] ?? '', line.slice(line.indexOf(':') + 1).trim()]),
        )
        text = text.slice(cut + 2)
        yield { event: fields.get('event') ?? '', id: fields.get('id') ?? null, data: fields.get('data') ?? '' }
      }
    }
  } finally {
    abort.abort()
  }
}

/** The first messages of a kind. */
async function take(stream: AsyncGenerator<Message>, event: string, count: number): Promise<Message[]> {
  const found: Message[] = []
  for await (const message of stream) {
    if (message.event === event) found.push(message)
    if (found.length === count) break
  }
  return found
}

describe('the live stream', () => {
  it('sends each fact once, in the order of the journal', async () => {
    const collector = await startCollector()
    const stream = follow(collector)
    expect((await stream.next()).value).toMatchObject({ event: 'beat' })
    for (const _ of [1, 2]) await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    const numbers: number[] = []
    for await (const { event, id, data } of stream) {
      if (event !== 'journal') continue
      numbers.push(Number(id))
      const fact = journalFactSchema.parse(JSON.parse(data))
      if (fact.kind === 'digested' && fact.seq === 2) break
    }
    // Two facts `received`, two `decided`, and one or two `digested`.
    expect(numbers.length).toBeGreaterThanOrEqual(5)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  })

  it('resumes after the fact in Last-Event-ID', async () => {
    const collector = await startCollector()
    for (const _ of [1, 2, 3]) await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await factAfter(collector, 'digested')
    const facts = await take(follow(collector, { 'last-event-id': '2' }), 'journal', 3)
    expect(facts.map((fact) => Number(fact.id))).toEqual([3, 4, 5])
  })

  it('resumes after a restart of the collector', async () => {
    const collector = await startCollector()
    for (const _ of [1, 2, 3]) await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await factAfter(collector, 'digested')
    await collector.stop()
    const again = await collector.restart()
    const facts = await take(follow(again, { 'last-event-id': '1' }), 'journal', 2)
    expect(facts.map((fact) => Number(fact.id))).toEqual([2, 3])
  })

  it('sends heartbeats while nothing happens', async () => {
    const collector = await startCollector()
    const beats = await take(follow(collector), 'beat', 2)
    expect(beats.map((beat) => beat.data)).toEqual(['{"journal":0}', '{"journal":0}'])
  })
})

describe('/query/items', () => {
  it('waits for an item after the cursor', async () => {
    const collector = await startCollector()
    const waiting = fetch(`${collector.url}/query/items?after=0&wait=20&type=event`)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body, { 'x-waystation-stamp': 'mine' })
    const page = (await (await waiting).json()) as { items: object[] }
    expect(page.items).toMatchObject([{ seq: 1, index: 0, type: 'event', stamp: 'mine' }])
  })

  it('leaves out items with another stamp', async () => {
    const collector = await startCollector()
    await postEnvelope(collector, errorEnvelope(collector.dsn).body, { 'x-waystation-stamp': 'other' })
    const waiting = fetch(`${collector.url}/query/items?after=0&wait=20&stamp=mine`)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body, { 'x-waystation-stamp': 'mine' })
    expect(await (await waiting).json()).toMatchObject({ items: [{ seq: 2, stamp: 'mine' }] })
  })

  it('returns every item once over all pages, and never splits a submission', async () => {
    const collector = await startCollector()
    const body = [
      JSON.stringify({ dsn: collector.dsn }),
      ...Array.from({ length: 3 }, () => '{"type":"session"}\n{}'),
    ].join('\n')
    for (const _ of [1, 2, 3]) await postEnvelope(collector, body)
    await digested(collector, 9)
    for (const limit of [1, 2, 3, 4, 1000]) {
      const seen: string[] = []
      for (let after = 0; ; ) {
        const page = itemsPageSchema.parse(
          await (await fetch(`${collector.url}/query/items?after=${after}&limit=${limit}`)).json(),
        )
        if (page.items.length === 0) break
        seen.push(...page.items.map((item) => `${item.seq}.${item.index}`))
        after = page.next
      }
      expect([limit, seen]).toEqual([limit, ['1.0', '1.1', '1.2', '2.0', '2.1', '2.2', '3.0', '3.1', '3.2']])
    }
  })

  it('returns an empty page when the wait times out', async () => {
    const collector = await startCollector()
    expect(await (await fetch(`${collector.url}/query/items?after=0&wait=1`)).json()).toEqual({ items: [], next: 0 })
  })

  it.each([
    ['/query/items?after=x', 'after=x'],
    ['/query/items?wait=61', 'wait=61'],
    ['/query/items?stmp=a', 'did you mean stamp?'],
    ['/query/traces?limit=0', 'limit=0'],
    ['/query/traces?limit=201', 'from 1 to 200'],
    ['/query/traces?cursor=%27', 'must be the "next" of an earlier page'],
    ['/query/traces/nope', 'it must have 32 hex digits'],
    ['/query/envelopes/nope', 'is not an envelope number'],
  ])('rejects %s and says what is valid', async (path, sentence) => {
    const collector = await startCollector()
    const response = await fetch(`${collector.url}${path}`)
    expect(response.status).toBe(400)
    expect(((await response.json()) as { detail: string }).detail).toContain(sentence)
  })
})
