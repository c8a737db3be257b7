import { expect, it } from 'vitest'
import { createFigures, type FigureCounts, MAX_SENDERS } from '../../../collector/api/figures'
import type { ReceivedRecord } from '../../../collector/spool/spool'
import { EMPTY_STORAGE } from '../cli/sample-storage'

const NOW = 1_795_000_000_000
const PARTS: Parameters<FigureCounts['read']>[0] = {
  record: {
    storage: async () => ({ status: EMPTY_STORAGE, copies: 0, notReady: [] }),
    totals: async () => {
      const outcomes = { accepted: 0, kept: 0, filtered: 0, rate_limited: 0, invalid: 0, overflow: 0, expired: 0 }
      const items = { received: 0, pending: 0, outcomes: { ...outcomes, dropped: 0 } }
      return { journal: 0, refusals: [], refused: 0, items, unexplained: [{ category: 'error', quantity: 2 }] }
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
  relay: { states: async () => [] },
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

it('have the projects, the most frequent first, and what the ledger does not explain', async () => {
  const { projects, line } = await createFigures().read(PARTS, false)
  expect([projects, line.unexplained]).toEqual([['7', '1'], [{ category: 'error', quantity: 2 }]])
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
      { category: 'error', reason: 'queue_overflow', quantity: 3 },
    ])
  expect(bounds).toEqual([12])
})
