import { describe, expect, it } from 'vitest'
import { CONTRACT } from '../../lib/contract/settings'
import { collectorClient } from '../../lib/wire/collector-client'
import type { Contract } from '../../lib/wire/contract'
import { type CollectorProcess, journalOf, postEnvelope, sharedCollector, startCollector } from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'

const shared = sharedCollector()

const clientOf = ({ url }: Pick<CollectorProcess, 'url'>) => collectorClient(url, fetch)
const ruleOf = (contract: Contract, id: string) =>
  [...contract.settings.flatMap(({ rules }) => rules), ...contract.beyond].find((rule) => rule.id === id)

/** An unhandled error. */
const unhandled = (dsn: string) => errorEnvelope(dsn).body.replace('"handled":true', '"handled":false')

describe('the contract', () => {
  it('is incomplete in every rule while nothing is recorded', async () => {
    const collector = await startCollector()
    const contract = await clientOf(collector).contract()
    expect(contract.from).toEqual({ submissions: 0, items: 0, first: null, last: null, isPart: false, damaged: [] })
    expect(contract.settings.map(({ id }) => id)).toEqual(CONTRACT.map(({ id }) => id))
    const verdicts = [...contract.settings.flatMap(({ rules }) => rules), ...contract.beyond].map(
      ({ verdict }) => verdict.verdict,
    )
    expect(verdicts.length).toBeGreaterThan(0)
    expect(verdicts.filter((verdict) => verdict !== 'incomplete')).toEqual([])
  })

  it('includes each envelope as soon as it is on disk, and does not delay a stop of the collector', async () => {
    const collector = await startCollector()
    const client = clientOf(collector)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    expect(ruleOf(await client.contract(), 'unhandled-errors')?.verdict).toEqual({ verdict: 'pass', judged: 1 })
    await postEnvelope(collector, unhandled(collector.dsn))
    const contract = await client.contract()
    expect(contract.from).toMatchObject({ submissions: 2, items: 2 })
    expect(ruleOf(contract, 'unhandled-errors')?.verdict).toMatchObject({
      verdict: 'fail',
      judged: 2,
      found: 1,
      findings: [{ at: { seq: 2, item: 0 } }],
    })
    expect(await collector.stop()).toBe(0)
  })

  it('can be limited to the items of a stamp, and to items after a journal number', async () => {
    const collector = shared()
    const client = clientOf(collector)
    await postEnvelope(collector, unhandled(collector.dsn), { 'x-waystation-stamp': 'other' })
    const next = await journalOf(collector)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body, { 'x-waystation-stamp': 'mine' })
    await postEnvelope(collector, transactionEnvelope(collector.dsn).body)
    const mine = await client.contract({ stamp: 'mine' })
    expect([mine.stamp, mine.from.submissions]).toEqual(['mine', 1])
    expect(ruleOf(mine, 'unhandled-errors')?.verdict.verdict).toBe('pass')
    const later = await client.contract({ after: next })
    expect([later.after, later.from.submissions]).toEqual([next, 2])
    expect(ruleOf(later, 'unhandled-errors')?.verdict.verdict).toBe('pass')
    expect(ruleOf(await client.contract(), 'unhandled-errors')?.verdict.verdict).toBe('fail')
  })

  it.each([
    ['stamp=%3C', 'stamp=<: must be a stamp of 1 to 64'],
    ['after=x', 'after=x: must be a whole number'],
    ['stmp=a', 'did you mean stamp?'],
  ])('rejects %s and says what is valid', async (query, sentence) => {
    const response = await fetch(`${shared().url}/query/contract?${query}`)
    expect([response.status, await response.json()]).toMatchObject([400, { detail: expect.stringContaining(sentence) }])
  })

  it('is refused to a page of another origin', async () => {
    const foreign = { origin: 'https://elsewhere.example' }
    expect((await fetch(`${shared().url}/query/contract`, { headers: foreign })).status).toBe(403)
  })
})
