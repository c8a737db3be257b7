import { describe, expect, it } from 'vitest'
import { decodeSubmission, readEvidence } from '../../lib/verdict/evidence/read-evidence'
import { collectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  digestedUpTo,
  journalOf,
  newestSeq,
  postEnvelope,
  sharedCollector,
  startCollector,
} from './collector-process'
import { errorEnvelope, noisyEnvelope, transactionEnvelope } from './envelopes'

const shared = sharedCollector()

const clientOf = ({ url }: Pick<CollectorProcess, 'url'>) => collectorClient(url, fetch)
const stamped = (stamp: string): Record<string, string> => ({ 'x-waystation-stamp': stamp })

describe('/query/recorded', () => {
  it('returns a submission as soon as it is on disk, with the received bytes', async () => {
    const collector = shared()
    const { body, eventId } = errorEnvelope(collector.dsn)
    const waiting = clientOf(collector).recorded({ after: 0, wait: 20, stamp: 'mine' })
    await postEnvelope(collector, body, stamped('mine'))
    const { recorded } = await waiting
    const submissions = recorded.map(decodeSubmission)
    expect(submissions).toMatchObject([{ stamp: 'mine', endpoint: 'tunnel', body: new TextEncoder().encode(body) }])
    expect(readEvidence(submissions).events).toMatchObject([{ eventId, seq: submissions[0]?.seq, item: 0 }])
  })

  it('ignores submissions with another stamp', async () => {
    const collector = shared()
    const after = await journalOf(collector)
    const waiting = clientOf(collector).recorded({ after, wait: 20, stamp: 'ours' })
    await postEnvelope(collector, errorEnvelope(collector.dsn).body, stamped('other'))
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    const unstamped = await newestSeq(collector)
    await digestedUpTo(collector, unstamped)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body, stamped('ours'))
    const ours = await newestSeq(collector)
    expect((await waiting).recorded.map((one) => one.seq)).toEqual([ours])
    const withUnstamped = await clientOf(collector).recorded({ after, stamp: 'ours', unstamped: true })
    expect(withUnstamped.recorded.map((one) => one.seq)).toEqual([unstamped, ours])
  })

  it('pages after a journal number until the newest, and ends a page early when its bodies are large', async () => {
    const collector = await startCollector()
    const client = clientOf(collector)
    const seqs: number[] = []
    const post = async (body: string | Uint8Array): Promise<void> => {
      await postEnvelope(collector, body)
      seqs.push(await newestSeq(collector))
    }
    for (const _ of [1, 2, 3]) await post(noisyEnvelope(collector.dsn, 900_000).body)
    for (const _ of [1, 2, 3]) await post(transactionEnvelope(collector.dsn).body)
    const pages: number[][] = []
    for (let after = 0; ; ) {
      const page = await client.recorded({ after, limit: 4 })
      pages.push(page.recorded.map(({ seq }) => seq))
      expect(page.oldest).toBe(1)
      if (page.next === page.journal) break
      after = page.next
    }
    expect(pages).toEqual([seqs.slice(0, 4), seqs.slice(4)])
    const after = await journalOf(collector)
    for (const _ of [1, 2, 3, 4, 5, 6]) await post(noisyEnvelope(collector.dsn, 950_000).body)
    const page = await client.recorded({ after })
    expect(page.recorded.map(({ seq }) => seq)).toEqual(seqs.slice(6, 10))
    expect(page.next).toBeLessThan(page.journal)
  })

  it('returns an empty page when the wait times out', async () => {
    const collector = shared()
    await digestedUpTo(collector, await newestSeq(collector))
    const journal = await journalOf(collector)
    const { oldest, ...page } = await clientOf(collector).recorded({ after: journal, wait: 1 })
    expect(page).toEqual({ recorded: [], damaged: [], next: journal, journal })
    expect(oldest).toBeLessThanOrEqual(1)
  })

  it('refuses a page of another origin', async () => {
    const foreign = { origin: 'https://elsewhere.example' }
    expect((await fetch(`${shared().url}/query/recorded`, { headers: foreign })).status).toBe(403)
  })

  it('returns the newest journal number even with limit 0', async () => {
    const collector = await startCollector()
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    // `digested` is the last fact of an envelope.
    await digestedUpTo(collector, await newestSeq(collector))
    const { journal, ...page } = await clientOf(collector).recorded({ limit: 0 })
    expect(page).toEqual({ recorded: [], damaged: [], next: 0, oldest: 1 })
    expect(journal).toBe((await clientOf(collector).recorded()).journal)
  })

  it('rejects a wrong parameter with the valid values', async () => {
    await expect(clientOf(shared()).recorded({ limit: 1001 })).rejects.toMatchObject({
      status: 400,
      message: 'limit=1001: must be a whole number from 0 to 1000',
    })
  })
})
