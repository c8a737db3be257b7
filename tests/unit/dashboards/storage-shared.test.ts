import { describe, expect, it } from 'vitest'
import { clearText, dropText } from '../../../dashboards/storage/clearing'
import { evictionOrder, nextText } from '../../../dashboards/storage/eviction-order'
import { evictionLines } from '../../../dashboards/storage/storage-board'
import {
  isMirrorLate,
  mirrorText,
  ownerText,
  partitionStateText,
  partitionsText,
  seenText,
  storeBar,
  storeSpaceText,
  waitingText,
} from '../../../dashboards/storage/store-text'
import { EMPTY_STORAGE } from '../cli/sample-storage'
import { LANE, STORE, STORE_AWAY, USAGE } from '../cli/sample-store'

const storage = {
  ...EMPTY_STORAGE,
  records: 1200,
  pending: { records: 200, bytes: 6_000_000, cap: 75_000_000, oldest: 1 },
  evictsAt: 90,
  store: STORE,
}

describe('the state of a shared record', () => {
  it.each([
    [STORE, 'ok', 'enough space', 'good'],
    [{ ...STORE, usage: { ...USAGE, budgetBytes: null } }, 'ok', 'no budget', 'good'],
    [STORE, 'evicting', 'dropping', 'good'],
    [STORE, 'full', 'full', 'bad'],
    // Sizes are those from before.
    [STORE_AWAY, 'full', 'away', 'bad'],
  ] as const)('%#: is shown in a word', (store, state, word, tone) => {
    expect(storeSpaceText(store, state)).toMatchObject({ word, tone })
  })

  it('never names the disk budget of the copy as a remedy', () => {
    const texts = (['ok', 'evicting', 'full'] as const).map((state) => storeSpaceText(STORE, state))
    expect(JSON.stringify(texts)).not.toContain('WAYSTATION_MAX_DISK')
    expect(storeSpaceText(STORE, 'full').remedy).toContain('WAYSTATION_STORE_SIZE')
  })
})

describe('the copy of a shared record', () => {
  it.each([
    [{ head: 4711, missing: 0, lagMs: 0 }, 'complete, up to fact 4,711', false],
    [{ head: 4711, missing: 12, lagMs: 80 }, '12 facts behind, 80.0 ms', false],
    [{ head: 4711, missing: 1204, lagMs: 3200 }, '1,204 facts behind, 3.20 s', true],
    [{ head: 4711, missing: null, lagMs: null }, 'has fact 4,711; the newest one is unknown', true],
  ])('%j', (mirror, text, isLate) => {
    expect([mirrorText(mirror), isMirrorLate(mirror)]).toEqual([text, isLate])
  })

  it('loses nothing by eviction: it has no class of expired or protected records', () => {
    expect(evictionOrder(storage).map(({ what, order, count }) => [what, order, count])).toEqual([
      ['settled', '1', '1,000 records'],
      ['rows', '2', 'at most 200 records'],
      ['dead_letter', '3', '0 records, 0 B.'],
      ['pending', '4', '200 records, 6.00 MB.'],
    ])
    expect(nextText(storage)).toContain('PostgreSQL keeps the records')
    expect(evictionLines({ ...storage, refused: 2 }).map(({ id, lost }) => [id, lost])).toEqual([
      ['records', false],
      ['byAge', false],
      ['rowsOnly', false],
      ['refused', true],
    ])
  })

  it('a clearing is one of all collectors, and may delete more than the copy has', () => {
    for (const text of [clearText(storage).goes, dropText(storage).goes])
      expect(text).toMatch(/1,[02]00 records.*in PostgreSQL and at every collector.*may have more/)
    const { store: _, ...alone } = storage
    expect(clearText(alone).goes).not.toContain('PostgreSQL')
  })
})

describe('partitions, owners and collectors', () => {
  it('partitions have their count, range and size, and those that wait', () => {
    expect(partitionsText(USAGE.partitions)).toBe('3 partitions, numbers 0 to 786,431, 50.0 MB')
    expect([0, 1, 2].map(waitingText)).toEqual([
      'none waits to be dropped',
      '1 waits to be dropped',
      '2 wait to be dropped',
    ])
    expect(partitionStateText({ state: 'held', newestAt: 1 })).toContain('pending records or dead letters')
    expect(partitionStateText({ state: 'newest', newestAt: 1 })).toBe('takes new numbers')
    expect(partitionStateText({ state: 'newest', newestAt: null })).toBe('empty, for later numbers')
  })

  it('the budget is divided into partitions, other tables and free space', () => {
    expect(storeBar(USAGE)?.map(({ bytes, share }) => [bytes, share])).toEqual([
      [50_000_000, 0.5],
      [10_000_000, 0.1],
      [40_000_000, 0.4],
    ])
    expect(storeBar({ ...USAGE, bytes: 200_000_000 })?.map(({ share }) => share)).toEqual([0.25, 0.75, 0])
    expect(storeBar({ ...USAGE, budgetBytes: null })).toBeNull()
  })

  it.each([
    [LANE, 'one 41 (this collector), for another 18 s unless renewed'],
    [{ ...LANE, owner: 'two 42', isOwn: false }, 'two 42, for another 18 s unless renewed'],
    [{ ...LANE, owner: null, leaseMs: null, freeMs: 65_000 }, 'none for 1 min 5 s'],
    [{ ...LANE, owner: null, leaseMs: null, freeMs: null }, 'none yet'],
  ])('%#: a lane names its owner', (lane, text) => {
    expect(ownerText(lane)).toBe(text)
  })

  it('a collector without a sign of life for 30 s is shown with its time', () => {
    expect([seenText(29_999), seenText(90_000)]).toEqual(['runs', 'last seen 1 min 30 s ago'])
  })
})
