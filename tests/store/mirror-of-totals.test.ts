import { afterAll, describe, expect, it } from 'vitest'
import type { Mirror } from '../../collector/spool/mirror/mirror'
import { dropPartition } from '../../collector/spool-postgres/housekeeping/drop-partitions'
import { deleteCommits, foldTotals } from '../../collector/spool-postgres/housekeeping/upkeep'
import { accepted, keptSubmission, removeFolders, submission } from '../unit/spool/in-process-spool'
import { openMirror } from '../unit/spool/mirrored-traffic'
import { closeKeptStores, HOUR_MS, type KeptStore, openKeptStore, server } from './housekeeping-store'

/** Applies all pages. @returns the changes of the received quantity that it reported */
async function follow(store: KeptStore, mirror: Mirror, limit = 5): Promise<number> {
  let received = 0
  for (
    let page = await store.follow(mirror.cursor(), limit);
    page !== null;
    page = await store.follow(mirror.cursor(), limit)
  )
    for (const { entry, quantity } of mirror.apply(page).totals) if (entry === 'received') received += quantity
  return received
}

const TOTALS = 'SELECT category, entry, reason, quantity, items FROM ledger_totals WHERE quantity <> 0 ORDER BY 1, 2, 3'

describe.skipIf('why' in server)('ledger totals of a mirror', () => {
  closeKeptStores()
  afterAll(removeFolders)

  it('are those of the whole record, however late it starts and however long it was away', async () => {
    const store = await openKeptStore()
    const [early, late] = [openMirror(), openMirror()]
    for (let records = 0; records < 5; records += 1) await store.append(submission({ stamp: 'one' }))
    await store.append(keptSubmission())
    expect(await follow(store, early.mirror)).toBe(6)
    await store.recordAttempt(accepted(1))
    for (let records = 0; records < 8; records += 1) await store.append(keptSubmission())
    store.clock.now += 49 * HOUR_MS
    await store.append(submission())

    await foldTotals(store.connection, store.clock.now)
    // The early mirror is away from before the sums until its batch is old, but not forgotten.
    expect(await follow(store, early.mirror)).toBe(9)
    await deleteCommits(store.connection, store.clock.now)
    await dropPartition(store.connection, 0)
    expect(await follow(store, late.mirror)).toBe(15)
    expect(late.db.prepare(TOTALS).all()).toEqual(early.db.prepare(TOTALS).all())
    expect(early.db.prepare(TOTALS).all()).toContainEqual({
      category: 'error',
      entry: 'received',
      reason: '',
      quantity: 15,
      items: 15,
    })
    for (const { db } of [early, late]) db.close()
  })
})
