import { describe, expect, it } from 'vitest'
import { clearText, dropText, settledRecords } from '../../../dashboards/storage/clearing'
import { diskBar, onDisk } from '../../../dashboards/storage/disk-use'
import { evictionOrder, nextText } from '../../../dashboards/storage/eviction-order'
import { rebuildText } from '../../../dashboards/storage/rows'
import { evictionLines } from '../../../dashboards/storage/storage-board'
import { endOfRebuild, redigestedText } from '../../../dashboards/storage/use-storage'
import { diskSpaceAlarm, diskSpaceText } from '../../../dashboards/ui/status-lines'
import { type Storage, storageSchema } from '../../../lib/wire/storage'

const MB = 1_000_000
const storage: Storage = {
  now: 1_000_000,
  cap: 100 * MB,
  maxAgeMs: null,
  used: 40 * MB,
  spool: { used: 30 * MB, file: 32 * MB, wal: MB },
  rows: { used: 10 * MB, file: 12 * MB, wal: 0 },
  records: 1200,
  oldest: 500_000,
  pending: { records: 200, bytes: 6 * MB, cap: 75 * MB, oldest: 700_000 },
  deadLetters: { records: 0, bytes: 0 },
  evicted: { records: 3400, bytes: 90 * MB, byAge: 0, rowsOnly: 12, expired: 0, deadLetters: 0 },
  evictsAt: 90 * MB,
  next: { what: 'settled', seq: 41, receivedAt: 500_000 },
  refused: 3,
  state: 'ok',
  trouble: null,
  ballast: { bytes: 4 * MB, released: false },
  rebuild: null,
}

describe('the disk budget bar', () => {
  const shares = (one: Storage): readonly number[] => diskBar(one).parts.map((part) => Number(part.share.toFixed(3)))

  it('is divided into record, rows and free space', () => {
    expect(diskBar(storageSchema.parse(storage)).parts.map(({ id, bytes }) => [id, bytes])).toEqual([
      ['record', 30 * MB],
      ['rows', 10 * MB],
      ['free', 60 * MB],
    ])
    expect(shares(storage)).toEqual([0.3, 0.1, 0.6])
  })

  it('marks the pending part and its limit', () => {
    expect(diskBar(storage)).toMatchObject({ pending: 0.06, pendingCap: 0.75, used: 0.4, evictsAt: 0.9 })
  })

  it('shows the used bytes when the budget is exceeded', () => {
    const over = { ...storage, used: 120 * MB, spool: { ...storage.spool, used: 110 * MB } }
    expect(shares(over)).toEqual([0.917, 0.083, 0])
    expect(diskBar(over).used).toBe(1.2)
    expect(diskBar(over).pendingCap).toBeCloseTo(0.625)
  })

  it('says what the files take on disk, which the budget does not count', () => {
    const [spool, rows] = [
      { used: 1, file: 20, wal: 300 },
      { used: 1, file: 4000, wal: 50_000 },
    ]
    expect(onDisk({ spool, rows, ballast: { bytes: 600_000, released: false } })).toBe(654_320)
    expect(onDisk({ spool, rows, ballast: { bytes: 600_000, released: true } })).toBe(54_320)
  })

  it('has no used parts without a budget', () => {
    const nothing = { used: 0, file: 0, wal: 0 }
    const bar = diskBar({ ...storage, cap: 0, used: 0, spool: nothing, rows: nothing })
    expect([bar.used, ...bar.parts.map((part) => part.share)]).toEqual([0, 0, 0, 0])
  })
})

describe('the order of eviction', () => {
  it('lists the classes with their numbers, and last what is protected', () => {
    const dead = { ...storage, deadLetters: { records: 2, bytes: 3000 } }
    expect(evictionOrder(dead).map(({ what, order, count }) => [what, order, count])).toEqual([
      ['settled', '1', '998 records'],
      ['rows', '2', 'at most 202 records'],
      ['dead_letter', '3', '2 records, 3.00 kB.'],
      ['expired', '4', ''],
      ['protected', '–', 'of 200 pending records, dead letters excepted,'],
    ])
  })

  it('says how far eviction is away, and when nothing may be evicted', () => {
    expect(nextText(storage)).toContain('starts after 50.0 MB more. It empties')
    expect(nextText({ ...storage, used: 90 * MB })).toContain('Eviction runs')
    expect(nextText({ ...storage, next: null })).toContain('All stored records are protected')
    expect(nextText({ ...storage, next: null, records: 0 })).toContain('No record is stored yet')
  })
})

describe('evictions and losses', () => {
  it('lists every count and marks the losses', () => {
    expect(evictionLines(storage).map(({ id, count, lost }) => [id, count, lost])).toEqual([
      ['records', '3,400', false],
      ['byAge', '0', false],
      ['rowsOnly', '12', false],
      ['deadLetters', '0', false],
      ['expired', '0', false],
      ['refused', '3', true],
    ])
    expect(evictionLines(storage)[0]?.meaning).toContain('90.0 MB in all')
  })
})

describe('the confirmation of clearing', () => {
  it('says what is deleted and what stays', () => {
    expect(settledRecords(storage)).toBe(1000)
    expect(clearText(storage).goes).toMatch(/^1,000 records and their rows are deleted/)
    expect(clearText(storage).stays).toMatch(/^200 pending envelopes stay and are relayed\./)
    expect(clearText({ ...storage, records: 2, pending: { ...storage.pending, records: 1 } })).toMatchObject({
      goes: expect.stringMatching(/^1 record and /),
      stays: expect.stringMatching(/^1 pending envelope stays and is relayed\./),
      warning: null,
    })
  })

  it('says that dead letters stay, or are dropped with pending envelopes', () => {
    const some = { ...storage, deadLetters: { records: 3, bytes: 1 } }
    expect(settledRecords(some)).toBe(997)
    expect(clearText(some).stays).toContain('3 dead letters stay.')
    expect(dropText(some).warning).toBe('203 envelopes will never reach upstream. They count as dropped.')
  })

  it('counts the envelopes that upstream will never get', () => {
    expect(dropText(storage).goes).toMatch(/^All 1,200 records/)
    expect(dropText(storage).warning).toBe('200 envelopes will never reach upstream. They count as dropped.')
    const nothingPending = dropText({ ...storage, records: 5, pending: { ...storage.pending, records: 0 } })
    expect(nothingPending).toMatchObject({ warning: null, stays: expect.stringMatching(/^Nothing is pending/) })
  })
})

it('a rebuild shows its progress, and an estimate after two seconds', () => {
  const rebuild = { done: 250, of: 1000, startedAt: 10_000 }
  expect(rebuildText(rebuild, 11_000)).toEqual({ share: 0.25, text: '250 of 1,000 envelopes (25 %)' })
  expect(rebuildText(rebuild, 15_000).text).toBe('250 of 1,000 envelopes (25 %), about 15 s left')
})

it('a rebuild of no envelopes is complete, and has no estimate before the first envelope', () => {
  expect(rebuildText({ done: 0, of: 0, startedAt: 0 }, 9000)).toEqual({ share: 1, text: '0 of 0 envelopes (100 %)' })
  expect(rebuildText({ done: 0, of: 9, startedAt: 0 }, 9000).text).toBe('0 of 9 envelopes (0 %)')
})

describe('the end of a rebuild', () => {
  const last = { done: 1200, startedAt: 5000, endedAt: 8200 }
  const resultOf = (startedAt: number): string | null => {
    const ended = endOfRebuild({ rebuild: null, last }, startedAt)
    return ended === null ? null : redigestedText(ended)
  }

  it('says how many envelopes were digested in which time', () => {
    expect(resultOf(5000)).toBe('Digested again: 1,200 envelopes in 3.20 s.')
    expect(resultOf(0)).toBe('Digested again: 1,200 envelopes in 3.20 s.')
  })

  it('an aborted rebuild ignores the result of an earlier rebuild', () => {
    expect(resultOf(6000)).toBe('The rebuild was aborted; see the log of the collector.')
  })

  it('is null while it runs', () => {
    expect(endOfRebuild({ rebuild: { done: 1, of: 2, startedAt: 9000 }, last }, 9000)).toBeNull()
  })
})

it('the disk alarm is null with enough space, and while evicting', () => {
  expect([
    diskSpaceAlarm({ state: 'ok', trouble: null }),
    diskSpaceAlarm({ state: 'evicting', trouble: null }),
  ]).toEqual([null, null])
})

it('the disk alarm explains a full backlog and a full budget, with the remedy', () => {
  expect(diskSpaceAlarm({ state: 'backlog_full', trouble: null })).toMatchObject({
    word: 'backlog full',
    tone: 'bad',
  })
  expect(diskSpaceAlarm({ state: 'full', trouble: 'the disk is full' })).toBe(diskSpaceText('full'))
  expect(diskSpaceAlarm({ state: 'full', trouble: null })?.remedy).toContain('WAYSTATION_MAX_DISK')
})

it('the disk alarm shows a problem rather than eviction', () => {
  expect(diskSpaceAlarm({ state: 'evicting', trouble: 'the log of spool.db is held' })).toMatchObject({
    word: 'trouble',
    meaning: 'The log of spool.db is held.',
    tone: 'bad',
  })
})
