import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { openRun } from '../../../collector/runs/open-run'
import { openForWriting } from '../../../collector/runtime/database'
import { salvageFolder } from '../../../collector/spool/offline/salvage'
import { readLosses, readTotals } from '../../../collector/spool/read/read-ledger'
import { findByStatus } from '../../../collector/spool/read/read-numbers'
import { readOutcomes } from '../../../collector/spool/read/read-outcomes'
import { readRecent } from '../../../collector/spool/read/read-recent'
import { KEEP_LAB } from '../../../collector/spool/schema'
import { NEWEST } from '../../../lib/wire/list-paging'
import { ledgerErrors } from '../../faults/ledger-errors'
import { keptSubmission, openInProcess, removeFolders, submission, temporaryFolder } from './in-process-spool'

afterAll(removeFolders)

const STAMP = 'ci-7'

/** The folder of a version that filtered lab telemetry: records 1 and 2 of the lab, 3 unscrubbed, 4 local only. */
async function oldFolder(version = 10): Promise<string> {
  const folder = temporaryFolder()
  const spool = openInProcess({ folder })
  const lab = { deliveryStatus: { outcome: 'filtered', reason: 'lab' } } as const
  await spool.append(submission({ ...lab, stamp: STAMP, quantities: [{ category: 'error', quantity: 1 }] }))
  await spool.append(submission({ ...lab, quantities: [{ category: 'span', quantity: 7 }] }))
  const unscrubbed = { outcome: 'filtered', reason: 'unscrubbed' } as const
  await spool.append(submission({ deliveryStatus: unscrubbed, quantities: [{ category: 'error', quantity: 1 }] }))
  await spool.append(keptSubmission({ quantities: [{ category: 'error', quantity: 1 }] }))
  spool.db.exec('DROP INDEX submissions_by_visitor; ALTER TABLE submissions DROP COLUMN visitor')
  spool.db.pragma(`user_version = ${version}`)
  spool.close()
  return folder
}

/** Every answer that says what happened to the records. */
function accountOf(db: Database) {
  const { categories, losses, sentence } = readLosses(db, null, 0)
  const recent = readRecent(db, 0, Number.MAX_SAFE_INTEGER).settled
  return {
    totals: readTotals(db).items.outcomes,
    categories: categories.map(({ category, made, kept, filtered, lost, unexplained }) => ({
      ...{ category, made, kept, filtered, lost, unexplained },
    })),
    losses,
    sentence,
    ofStamp: readLosses(db, STAMP, 0).sentence,
    outcomes: readOutcomes(db, {}, NEWEST, { limit: 9 }).outcomes.map(({ seq, outcome, reason }) =>
      [seq, outcome, reason].join(' '),
    ),
    filtered: [...(findByStatus(db, 'filtered', { below: 99, most: 9 }) ?? [])].map(({ seq }) => seq),
    recent: recent.map(({ entry, reason }) => `${entry} ${reason}`),
    errors: ledgerErrors(db),
  }
}

const EXPECTED: ReturnType<typeof accountOf> = {
  totals: expect.objectContaining({ kept: 3, filtered: 1 }),
  categories: [
    { category: 'error', made: 3, kept: 2, filtered: 1, lost: 1, unexplained: 0 },
    { category: 'span', made: 7, kept: 7, filtered: 0, lost: 0, unexplained: 0 },
  ],
  losses: [{ by: 'waystation', reason: 'unscrubbed', category: 'error', quantity: 1 }],
  sentence: 'error: made 3, kept 2, lost 1 (1 unscrubbed); span: made 7, kept 7, lost 0',
  ofStamp: 'error: made 1, kept 1, lost 0',
  outcomes: ['4 kept no_upstream', '3 filtered unscrubbed', '2 kept lab', '1 kept lab'],
  filtered: [3],
  recent: ['kept lab', 'kept lab', 'filtered unscrubbed', 'kept no_upstream'],
  errors: [],
}

describe('lab telemetry that an earlier version filtered is kept', () => {
  it('in a data folder after its first start', async () => {
    const spool = openInProcess({ folder: await oldFolder() })
    expect(accountOf(spool.db)).toEqual(EXPECTED)
    expect(spool.db.pragma('integrity_check', { simple: true })).toBe('ok')
    spool.close()
  })

  it('in a saved run', async () => {
    const folder = await oldFolder()
    const opened = await openRun(folder, { log: () => undefined })
    if (!opened.ok) throw new Error(opened.error)
    const db = openForWriting(join(opened.value.folder, 'spool.db'), 'FULL')
    expect(accountOf(db)).toEqual(EXPECTED)
    db.close()
    opened.value.close()
  })

  it.each([
    ['', 10],
    [' that could not be migrated', 3],
  ])('in a salvaged folder%s', async (_what, version) => {
    const target = join(temporaryFolder(), 'target')
    mkdirSync(target)
    expect(salvageFolder(await oldFolder(version), target)?.incomplete).toEqual([])
    const spool = openInProcess({ folder: target })
    expect(accountOf(spool.db)).toEqual(EXPECTED)
    spool.close()
  })

  it('also in totals without a reason, of version 4, which filtered nothing else', async () => {
    const folder = await oldFolder()
    const old = openForWriting(join(folder, 'spool.db'), 'FULL')
    old.exec("UPDATE ledger_totals SET quantity = 8 WHERE category = 'error' AND entry = 'received'")
    old.exec("INSERT INTO ledger_totals VALUES ('error', 'filtered', '', 5, 5)")
    old.close()
    const { categories } = readLosses(openInProcess({ folder }).db, null, 0)
    expect(categories[0]).toMatchObject({ received: 8, kept: 7, filtered: 1, lost: 1, unexplained: 0 })
  })

  it('without reading every outcome', () => {
    const { db } = openInProcess({})
    const [update = ''] = KEEP_LAB.split(';')
    expect(db.prepare(`EXPLAIN QUERY PLAN ${update}`).all()).toMatchObject([
      { detail: expect.stringContaining('INDEX outcomes_unusual') },
    ])
  })
})
