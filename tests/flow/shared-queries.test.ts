import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { type JournalFact, journalFactSchema, journalPageSchema } from '../../lib/wire/journal'
import { type Cluster, createCluster } from '../store/cluster'
import { createDatabase } from '../store/databases'
import {
  type CollectorProcess,
  endCollectors,
  journalOf,
  postEnvelope,
  startCollector,
  temporaryFolder,
} from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'
import { follow } from './follow-stream'
import { startCommand } from './run-process'

let cluster: Cluster | { readonly why: string }
beforeAll(async () => {
  cluster = await createCluster()
  if ('why' in cluster) console.log(`Tests of a shared record are skipped: ${cluster.why}.`)
  else await cluster.start()
})
afterAll(async () => {
  endCollectors()
  if (!('why' in cluster)) await cluster.remove()
})

const client = ({ url }: CollectorProcess) => collectorClient(url, fetch)

/** Two collectors with one record, which end with the test. Skips the test where no PostgreSQL can run. */
async function twoCollectors(skip: (why: string) => never): Promise<readonly [CollectorProcess, CollectorProcess]> {
  if ('why' in cluster) return skip(cluster.why)
  const url = await createDatabase(cluster.url())
  const env = { WAYSTATION_STORE: url }
  const two = await Promise.all([startCollector(env), startCollector(env)])
  onTestFinished(async () => {
    await Promise.all(two.map((one) => one.kill()))
  })
  return two
}

const postError = async (to: CollectorProcess, message = 'boom'): Promise<void> => {
  expect((await postEnvelope(to, errorEnvelope(to.dsn, { message }).body)).status).toBe(200)
}

const command = (words: readonly string[], { url }: CollectorProcess) =>
  startCommand(words, { WAYSTATION_DATA: temporaryFolder(), WAYSTATION_COLLECTOR_URL: url })

/** The facts of one collector's live stream, each with the number that the stream gives it. */
async function* facts(
  collector: CollectorProcess,
  lastEventId: number,
): AsyncGenerator<{ readonly event: string; readonly id: number; readonly fact: JournalFact | null }> {
  for await (const { event, id, data } of follow(collector, { 'last-event-id': String(lastEventId) })) {
    if (event === 'beat') continue
    yield { event, id: Number(id), fact: event === 'journal' ? journalFactSchema.parse(JSON.parse(data)) : null }
  }
}

const journalPage = async ({ url }: CollectorProcess) =>
  journalPageSchema.parse(await (await fetch(`${url}/query/journal?after=0`)).json())

describe('a collector whose neighbour has just stored an envelope', () => {
  it('counts it in the overview, at once', async ({ skip }) => {
    const [one, other] = await twoCollectors(skip)
    for (const sent of [1, 2, 3, 4, 5]) {
      await postError(one)
      const { items, journal } = await client(other).overview()
      expect(items).toMatchObject({ received: sent, outcomes: { kept: sent } })
      expect(journal).toBe(2 * sent)
    }
  })

  it('places a mark after it', async ({ skip }) => {
    const [one, other] = await twoCollectors(skip)
    for (const sent of [1, 2, 3, 4, 5]) {
      await postError(one)
      expect((await client(other).orderMark({ name: `after-${sent}` })).mark?.journal).toBeGreaterThanOrEqual(2 * sent)
      await client(other).orderMark({ name: `after-${sent}`, do: 'delete' })
    }
  })

  it('resumes a live stream after its number, without a reset', async ({ skip }) => {
    const [one, other] = await twoCollectors(skip)
    for (const _ of [1, 2, 3, 4, 5]) {
      await postError(one)
      const last = await journalOf(one)
      const resumed = facts(other, last)
      const first = resumed.next()
      await postError(one)
      for (let next = await first; ; next = await resumed.next()) {
        const { event, id, fact } = next.value ?? {}
        expect(event).toBe('journal')
        // A fact about this collector alone repeats the number before it.
        if (fact?.kind === 'digested') continue
        expect([id, fact?.kind]).toEqual([last + 1, 'received'])
        break
      }
      await resumed.return(undefined)
    }
  })

  it('clears it', async ({ skip }) => {
    const [one, other] = await twoCollectors(skip)
    for (const cleared of [1, 2, 3]) {
      await postError(one)
      await client(other).clear({ pending: false })
      for (const collector of [one, other]) {
        expect((await client(collector).envelopes({})).envelopes).toEqual([])
        expect((await client(collector).recorded({ after: 0 })).recorded).toEqual([])
        expect((await client(collector).losses()).categories).toMatchObject([{ made: cleared, unexplained: 0 }])
      }
    }
  })
})

describe('the digest of one collector', () => {
  it('has no number in the shared journal, and is on the live stream of that collector alone', async ({ skip }) => {
    const [one, other] = await twoCollectors(skip)
    await postError(one)
    for (const collector of [one, other]) {
      const kinds: string[] = []
      for await (const { id, fact } of facts(collector, 0)) {
        kinds.push(fact?.kind ?? 'reset')
        if (fact?.kind !== 'digested') continue
        expect(id).toBe(2)
        expect(fact).toMatchObject({ n: 2, seq: 1 })
        break
      }
      expect(kinds).toEqual(['received', 'decided', 'digested'])
      expect((await journalPage(collector)).facts.map(({ kind }) => kind)).toEqual(['received', 'decided'])
    }
    await postError(other)
    expect((await journalPage(one)).facts.map(({ n }) => n)).toEqual([1, 2, 3, 4])
  })
})

describe('commands at a collector', () => {
  it('wait for, expect, print and check what another one receives', async ({ skip }) => {
    const [one, other] = await twoCollectors(skip)
    const tail = command(['tail', '--since', '0'], other)
    const waiting = command(['wait', 'error', 'title~late', '--since', '0', '--timeout', '60'], other)
    await postError(one, 'early')
    await tail.printed('Error: early')
    await postEnvelope(one, transactionEnvelope(one.dsn, { name: '/late' }).body)
    await postError(one, 'late')
    expect(await waiting.ended).toMatchObject({ code: 0, out: expect.stringContaining('Error: late') })
    const expected = command(['expect', 'pageload /late', '--since', '0', '--timeout', '20'], other)
    expect(await expected.ended).toMatchObject({ code: 0 })
    await tail.printed('Error: late')
    tail.child.kill('SIGTERM')
    await tail.ended
    const report = JSON.parse((await command(['check', '--since', '10m', '--json'], other).ended).out)
    expect(report.from.submissions).toBe(3)
  })
})
