import { afterAll, describe, expect, it } from 'vitest'
import { decodeSubmission, readEvidence } from '../../lib/verdict/evidence/read-evidence'
import { collectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  digested,
  endCollectors,
  factAfter,
  postEnvelope,
  startCollector,
} from './collector-process'
import { errorEnvelope, noisyEnvelope, transactionEnvelope } from './envelopes'

afterAll(endCollectors)

const clientOf = ({ url }: Pick<CollectorProcess, 'url'>) => collectorClient(url, fetch)
const stamped = (stamp: string): Record<string, string> => ({ 'x-waystation-stamp': stamp })

describe('/query/recorded', () => {
  it('returns a submission as soon as it is on disk, with the received bytes', async () => {
    const collector = await startCollector()
    const { body, eventId } = errorEnvelope(collector.dsn)
    const waiting = clientOf(collector).recorded({ after: 0, wait: 20, stamp: 'mine' })
    await postEnvelope(collector, body, stamped('mine'))
    const { recorded } = await waiting
    const submissions = recorded.map(decodeSubmission)
    expect(submissions).toMatchObject([
      { seq: 1, stamp: 'mine', endpoint: 'tunnel', body: new TextEncoder().encode(body) },
    ])
    expect(readEvidence(submissions).events).toMatchObject([{ eventId, seq: 1, item: 0 }])
  })

  it('ignores submissions with another stamp', async () => {
    const collector = await startCollector()
    const waiting = clientOf(collector).recorded({ after: 0, wait: 20, stamp: 'mine' })
    await postEnvelope(collector, errorEnvelope(collector.dsn).body, stamped('other'))
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await digested(collector, 2)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body, stamped('mine'))
    expect((await waiting).recorded.map(({ seq }) => seq)).toEqual([3])
    const withUnstamped = await clientOf(collector).recorded({ stamp: 'mine', unstamped: true })
    expect(withUnstamped.recorded.map(({ seq }) => seq)).toEqual([2, 3])
  })

  it('pages after a journal number until the newest', async () => {
    const collector = await startCollector()
    const client = clientOf(collector)
    for (const _ of [1, 2, 3]) await postEnvelope(collector, noisyEnvelope(collector.dsn, 900_000).body)
    for (const _ of [1, 2, 3]) await postEnvelope(collector, transactionEnvelope(collector.dsn).body)
    const pages: number[][] = []
    for (let after = 0; ; ) {
      const page = await client.recorded({ after, limit: 4 })
      pages.push(page.recorded.map(({ seq }) => seq))
      expect(page.oldest).toBe(1)
      if (page.next === page.journal) break
      after = page.next
    }
    expect(pages).toEqual([
      [1, 2, 3, 4],
      [5, 6],
    ])
  })

  it('ends a page early when its bodies are large', async () => {
    const collector = await startCollector()
    for (const _ of [1, 2, 3, 4, 5, 6]) await postEnvelope(collector, noisyEnvelope(collector.dsn, 950_000).body)
    const page = await clientOf(collector).recorded()
    expect(page.recorded.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
    expect(page.next).toBeLessThan(page.journal)
  })

  it('returns an empty page when the wait times out', async () => {
    const collector = await startCollector()
    const page = await clientOf(collector).recorded({ wait: 1 })
    expect(page).toEqual({ recorded: [], damaged: [], next: 0, journal: 0, oldest: 0 })
  })

  it('refuses a page of another origin', async () => {
    const collector = await startCollector()
    const foreign = { origin: 'https://elsewhere.example' }
    expect((await fetch(`${collector.url}/query/recorded`, { headers: foreign })).status).toBe(403)
  })

  it('returns the newest journal number even with limit 0', async () => {
    const collector = await startCollector()
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    // `digested` is the last fact of an envelope.
    await factAfter(collector, 'digested')
    const { journal, ...page } = await clientOf(collector).recorded({ limit: 0 })
    expect(page).toEqual({ recorded: [], damaged: [], next: 0, oldest: 1 })
    expect(journal).toBe((await clientOf(collector).recorded()).journal)
  })

  it('rejects a wrong parameter with the valid values', async () => {
    const collector = await startCollector()
    await expect(clientOf(collector).recorded({ limit: 1001 })).rejects.toMatchObject({
      status: 400,
      message: 'limit=1001: must be a whole number from 0 to 1000',
    })
  })
})
