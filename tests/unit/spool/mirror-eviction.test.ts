import { afterAll, describe, expect, it } from 'vitest'
import { Checkpointer } from '../../../collector/runtime/checkpointer'
import { DiskBudgetKeeper } from '../../../collector/spool/disk/budget-keeper'
import { Ballast } from '../../../collector/spool/disk/disk-budget'
import type { SpoolNews } from '../../../collector/spool/journal'
import { createMirrorMethods, type MirrorCalls } from '../../../collector/spool/mirror/mirror-methods'
import { removeFolders, submission } from './in-process-spool'
import { pageOf } from './mirror-pages-by-hand'
import { type OpenMirror, openMirror } from './mirrored-traffic'

afterAll(removeFolders)

const ALL = Number.MAX_SAFE_INTEGER
const CAP = 4 * 1024 * 1024
const PART = CAP / 16

/** The methods with one commit per call, as the thread of a mirror runs them. */
function methodsOf({ mirror, db, folder }: OpenMirror) {
  const facts: SpoolNews['facts'][number][] = []
  const { settings, writes, maintenance } = createMirrorMethods({
    db,
    path: db.name,
    mirror,
    checkpointer: new Checkpointer(db, () => 0),
    ballast: new Ballast(folder),
    withRemedy: (problem) => problem,
  })
  const calls = Object.fromEntries(
    Object.entries({ ...settings, ...writes, ...maintenance }).map(([name, work]) => [
      name,
      async (...args: readonly unknown[]): Promise<unknown> => {
        const done = mirror.commit(() => (work as (...given: readonly unknown[]) => unknown)(...args))
        mirror.budget.recount(0)
        facts.push(...done.facts)
        return done.result
      },
    ]),
  ) as MirrorCalls
  return { ...calls, facts }
}

const stored = ({ db }: OpenMirror): readonly unknown[] =>
  db.prepare('SELECT seq FROM submissions ORDER BY seq').pluck().all()

const count = ({ db }: OpenMirror, table: string): unknown => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()

/** Records 1 to 4: pending, dead letter, settled, pending. */
function fourRecords(): OpenMirror {
  const open = openMirror()
  const received = { received: {} } as const
  open.mirror.apply(
    pageOf(open.mirror.cursor(), [
      received,
      received,
      received,
      received,
      { delivered: 2, status: 413, becameDead: true },
      { delivered: 3, status: 200 },
      { decided: 3 },
    ]),
  )
  return open
}

describe('an eviction', () => {
  it('takes settled records first, then dead letters, then pending records', async () => {
    const open = fourRecords()
    const methods = methodsOf(open)
    expect(await methods.settledRecords(ALL)).toEqual([3])
    await methods.evictSettled([3])
    expect(await methods.settledRecords(ALL)).toEqual([])
    expect(await methods.deadLetterRecords(ALL)).toEqual([2])
    await methods.evictDeadLetters([2])
    expect(await methods.deadLetterRecords(ALL)).toEqual([1, 4])
    await methods.evictDeadLetters([1, 4])
    expect([stored(open), await methods.deadLetterRecords(ALL)]).toEqual([[], []])
    expect((await methods.usage()).evicted).toMatchObject({ records: 4, deadLetters: 0, expired: 0 })
  })

  it('writes neither outcomes nor totals, and its facts repeat the newest number and are not stored', async () => {
    const open = fourRecords()
    const methods = methodsOf(open)
    await methods.evictDeadLetters([1, 2])
    await methods.noteDigested(4, ['trace'])
    expect(methods.facts).toMatchObject([
      { n: 7, kind: 'evicted', seq: 2 },
      { n: 7, kind: 'digested', seq: 4, traces: ['trace'] },
    ])
    expect([count(open, 'journal'), count(open, 'outcomes'), count(open, 'ledger_totals')]).toEqual([7, 1, 0])
    expect([open.mirror.cursor().n, open.mirror.budget.sums]).toMatchObject([
      7,
      { records: 2, pendingRecords: 1, deadRecords: 0 },
    ])
  })

  it('lets later facts of its records pass without rows that nothing would delete', () => {
    const open = fourRecords()
    open.mirror.commit(() => open.mirror.evict([1, 2]))
    open.mirror.apply(
      pageOf(open.mirror.cursor(), [
        { delivered: 1, status: 429 },
        { decided: 1, outcome: 'rate_limited', reason: 'limited' },
        { pending: 2 },
        { delivered: 2, status: 413, becameDead: true },
        { decided: 4 },
      ]),
    )
    expect([count(open, 'journal'), count(open, 'deliveries'), count(open, 'dead_letters')]).toEqual([12, 1, 0])
    expect(open.db.prepare('SELECT DISTINCT seq FROM outcomes ORDER BY seq').pluck().all()).toEqual([3, 4])
  })

  it('expires nothing, and reports no lost rows', async () => {
    const methods = methodsOf(fourRecords())
    expect(await methods.expiredRecords(ALL)).toEqual([])
    expect(await methods.usage()).toMatchObject({ records: 4, damage: null, isBacklogFull: false })
  })
})

it('the disk budget keeps a mirror of pending records below the cap', async () => {
  const open = openMirror(undefined, { cap: CAP })
  const methods = methodsOf(open)
  const erased: number[] = []
  const keeper = new DiskBudgetKeeper({
    spool: { ...methods, append: async () => ({ needed: 0 }) },
    rows: {
      erase: async (seqs) => void erased.push(...seqs),
      usage: () => ({ used: 0, file: 0, wal: 0 }),
      cursor: () => 0,
      stuck: () => null,
    },
    cap: CAP,
    maxAgeMs: null,
    now: () => 0,
    monotonic: () => 0,
    onDeath: (error) => {
      throw error
    },
  })
  for (let n = 0; n < 40; n += 1) {
    const page = pageOf(open.mirror.cursor(), [
      { received: { body: submission({ size: PART }).body, storedBytes: PART } },
    ])
    if (!open.mirror.fits(page)) await expect.poll(() => open.mirror.fits(page)).toBe(true)
    keeper.spoolGrew(open.mirror.apply(page).used, true)
    await expect.poll(() => keeper.isEvicting).toBe(false)
    expect(open.mirror.budget.used).toBeLessThanOrEqual(CAP)
  }
  await keeper.stop()
  expect(stored(open).at(-1)).toBe(40)
  expect(erased.length + stored(open).length).toBe(40)
})
