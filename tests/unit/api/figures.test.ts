import { expect, it } from 'vitest'
import { createFigures, type FigureCounts, MAX_LOSS_SERIES, MAX_SENDERS } from '../../../collector/api/figures'
import type { ReceivedRecord } from '../../../collector/spool/spool'
import { EMPTY_STORAGE } from '../cli/sample-storage'
import { STORE, USAGE } from '../cli/sample-store'

const NOW = 1_795_000_000_000
const PARTS: Parameters<FigureCounts['read']>[0] = {
  record: {
    storage: async () => ({ status: EMPTY_STORAGE, copies: 0, notReady: [] }),
    totals: async () => {
      const outcomes = { accepted: 0, kept: 0, filtered: 0, rate_limited: 0, invalid: 0, overflow: 0, expired: 0 }
      const items = { received: 0, pending: 0, outcomes: { ...outcomes, dropped: 0 } }
      return {
        journal: 0,
        refusals: [],
        pages: { documents: 0, posted: 0 },
        refused: 0,
        items,
        unexplained: [{ category: 'error', quantity: 2 }],
      }
    },
    recent: async () => ({ received: [], settled: [], refused: [] }),
  },
  index: {
    traceMinutes: async (after) => ({ after, upTo: null, minutes: [], isPart: false }),
    discards: async () => [],
    newGroups: async () => 0,
    values: async (list, key) => {
      const values = [
        { value: '7', count: 12 },
        { value: '1', count: 3 },
      ]
      return { list, key, values, isWhole: true, rows: 15, journal: 0 }
    },
  },
  activeLimits: async () => [],
  lastVerdict: () => null,
  runs: async () => ({ runs: [] }),
  now: () => NOW,
}

const received = (sender: string): ReceivedRecord => ({
  ...{ at: NOW, endpoint: 'envelope', project: '1', sender, own: false, quantities: [] },
})

it(`at most ${MAX_SENDERS} senders are counted as apps`, async () => {
  const figures = createFigures()
  for (let sender = 0; sender < 1000; sender += 1) figures.noteReceived(received(`app ${sender}`))
  expect((await figures.read(PARTS, false)).line.apps).toBe(1000)
  figures.noteReceived(received('one more'))
  expect((await figures.read(PARTS, false)).line).toMatchObject({ apps: 1000, lastEnvelope: NOW })
})

it('count a batch of logs as one envelope item, and leave refused requests out of the line', async () => {
  const figures = createFigures()
  figures.noteReceived({ ...received('app'), quantities: [{ category: 'log_item', quantity: 50 }] })
  figures.noteNews({ facts: [{ n: 2, kind: 'refused', seq: null, at: NOW }], totals: [] }, NOW)
  const { line, navigation } = await figures.read(PARTS, false)
  expect([line.received, navigation.logs, navigation.refused]).toEqual([1, 50, 1])
})

it('count pending envelopes and dead letters of every upstream, configured or not', async () => {
  const status = {
    ...EMPTY_STORAGE,
    pending: { ...EMPTY_STORAGE.pending, records: 2 },
    deadLetters: { records: 6, bytes: 9 },
  }
  const record = { ...PARTS.record, storage: async () => ({ status, copies: 0, notReady: [] }) }
  expect((await createFigures().read({ ...PARTS, record }, false)).navigation.openDeliveries).toBe(8)
})

it('have the projects, the most frequent first, and what the ledger does not explain', async () => {
  const { projects, line } = await createFigures().read(PARTS, false)
  expect([projects, line.unexplained]).toEqual([['7', '1'], [{ category: 'error', quantity: 2 }]])
})

it('mark a verdict as stale once telemetry arrives after it, own telemetry included', async () => {
  const figures = createFigures()
  const parts = { ...PARTS, lastVerdict: () => ({ verdict: 'pass' as const, failed: 0, at: NOW }) }
  const isStale = async () => (await figures.read(parts, false)).navigation.contract?.isStale
  figures.noteReceived({ ...received('app'), at: NOW - 1 })
  expect(await isStale()).toBe(false)
  figures.noteReceived({ ...received('app'), at: NOW + 1, endpoint: 'stream' })
  expect(await isStale()).toBe(false)
  figures.noteReceived({ ...received('app'), at: NOW + 1, own: true })
  expect(await isStale()).toBe(true)
})

it('count the losses that SDKs reported before the start, once', async () => {
  const figures = createFigures()
  const discard = (reason: string) => ({ at: NOW - 60_000, category: 'error', reason, quantity: 3 })
  const bounds: number[] = []
  const index: typeof PARTS.index = {
    ...PARTS.index,
    discards: async (upTo) => {
      bounds.push(upTo)
      return [discard('queue_overflow'), discard('before_send'), discard('network_error')]
    },
  }
  await figures.restore(PARTS.record, 12, NOW)
  for (let poll = 0; poll < 2; poll += 1)
    expect((await figures.read({ ...PARTS, index }, false)).navigation.losses).toEqual([
      { category: 'error', reason: 'queue_overflow', by: 'sdk', quantity: 3 },
    ])
  expect(bounds).toEqual([12])
})

it('count each cause of losses per minute, the largest first', async () => {
  const figures = createFigures()
  const lost = (entry: 'client_discard' | 'rate_limited', reason: string, quantity: number) => ({
    ...{ category: 'span', entry, reason, quantity, items: 1 },
  })
  figures.noteNews({ facts: [], totals: [lost('rate_limited', 'limited', 2)] }, NOW - 59 * 60_000)
  figures.noteNews({ facts: [], totals: [lost('rate_limited', 'limited', 3)] }, NOW)
  figures.noteNews(
    { facts: [], totals: [lost('client_discard', 'limited', 9), lost('client_discard', 'ignored', 50)] },
    NOW - 60_000,
  )
  const { minutes, navigation } = await figures.read(PARTS, true)
  expect(minutes?.losses.map(({ by, reason, category }) => `${by} ${reason} ${category}`)).toEqual([
    'sdk limited span',
    'waystation limited span',
  ])
  const [reported, cut] = minutes?.losses.map((loss) => loss.minutes) ?? []
  expect([cut?.length, cut?.[0], cut?.[59], reported?.[58], reported?.[59]]).toEqual([60, 2, 3, 9, 0])
  // Those of the navigation are of 15 minutes.
  expect(navigation.losses.map(({ quantity }) => quantity)).toEqual([9, 3])
})

it(`serve at most ${MAX_LOSS_SERIES} causes per minute`, async () => {
  const figures = createFigures()
  for (let n = 1; n <= 101; n += 1) {
    const total = { category: 'span', entry: 'client_discard', reason: `reason ${n}`, quantity: n, items: 1 } as const
    figures.noteNews({ facts: [], totals: [total] }, NOW)
  }
  const reasons = (await figures.read(PARTS, true)).minutes?.losses.map(({ reason }) => reason)
  expect([reasons?.length, reasons?.[0], reasons?.[99]]).toEqual([100, 'reason 101', 'reason 2'])
})

it('have the use of the disk budget, or that of a shared database if it is fuller', async () => {
  const usedOf = async (status: typeof EMPTY_STORAGE): Promise<number> => {
    const record = { ...PARTS.record, storage: async () => ({ status, copies: 0, notReady: [] }) }
    return (await createFigures().read({ ...PARTS, record }, false)).navigation.storageUsed
  }
  const local = { ...EMPTY_STORAGE, cap: 100, used: 20 }
  expect(await usedOf(local)).toBe(20)
  expect(await usedOf({ ...local, store: STORE })).toBe(60)
  expect(await usedOf({ ...local, used: 70, store: STORE })).toBe(70)
  expect(await usedOf({ ...local, store: { ...STORE, usage: { ...USAGE, budgetBytes: null } } })).toBe(20)
})
