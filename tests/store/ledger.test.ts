import type { Database } from 'better-sqlite3'
import { expect, it } from 'vitest'
import { readLosses, readTotals } from '../../collector/spool/read/read-ledger'
import { ledgerErrors } from '../faults/ledger-errors'
import { accepted, keptSubmission, seqOf, submission } from '../unit/spool/in-process-spool'
import { describeStores, type OpenedStore } from './engines'

const TWO = [
  { category: 'error', quantity: 1 },
  { category: 'span', quantity: 40 },
]

/** Stores one record for each state that a record can be in. */
async function storeEachState(store: OpenedStore, stamp: string | null): Promise<void> {
  const next = () => seqOf(store.append(submission({ stamp, quantities: TWO })))
  await next()
  await store.append(keptSubmission({ stamp, quantities: TWO }))
  await store.append(submission({ stamp, quantities: TWO, endpoint: 'stream', deliveryStatus: 'copy' }))
  await store.recordAttempt(accepted(await next()))
  await store.recordAttempt(
    accepted(await next(), {
      decision: [
        { item: 0, outcome: 'accepted', reason: null },
        { item: 1, outcome: 'rate_limited', reason: 'limited' },
      ],
    }),
  )
  await store.recordAttempt(accepted(await next(), { status: 413, decision: null, dead: true }))
  const dropped = await next()
  await store.recordAttempt(accepted(dropped, { status: 413, decision: null, dead: true }))
  await store.dropDeadLetters([dropped])
  await store.decideWithoutAttempt(await next(), [{ item: -1, outcome: 'invalid', reason: 'upstream_422' }], [])
}

const entriesOf = (db: Database, category: string) =>
  Object.fromEntries(
    db
      .prepare(
        `SELECT entry, sum(quantity) FROM ledger_totals WHERE category = ? GROUP BY entry HAVING sum(quantity) <> 0`,
      )
      .raw()
      .all(category) as [string, number][],
  )

describeStores('ledger totals', (open) => {
  it('explain everything received, in each category', async () => {
    const store = await open()
    await storeEachState(store, null)
    const db = await store.readSide()
    for (const [category, quantity] of [
      ['error', 1],
      ['span', 40],
    ] as const)
      expect(entriesOf(db, category)).toEqual({
        received: 7 * quantity,
        pending: 2 * quantity,
        kept: quantity,
        accepted: (category === 'error' ? 2 : 1) * quantity,
        ...(category === 'span' && { rate_limited: quantity }),
        dropped: quantity,
        invalid: quantity,
      })
    expect(readTotals(db)).toMatchObject({
      items: { received: 14, pending: 4, outcomes: { accepted: 3, rate_limited: 1, kept: 2, dropped: 2, invalid: 2 } },
      unexplained: [],
    })
    expect(ledgerErrors(db)).toEqual([])
  })

  it('are also kept per stamp', async () => {
    const store = await open()
    await storeEachState(store, null)
    await storeEachState(store, 'a')
    await storeEachState(store, 'a')
    await store.append(
      submission({ stamp: 'b', discards: [{ category: 'log_item', reason: 'before_send', quantity: 9 }] }),
    )
    const db = await store.readSide()
    const ofA = readLosses(db, 'a', 0)
    expect(ofA.categories).toMatchObject([
      { category: 'error', received: 14, pending: 4, accepted: 4, unexplained: 0 },
      { category: 'span', received: 560, pending: 160, accepted: 80, rate_limited: 80, unexplained: 0 },
    ])
    expect(readLosses(db, 'b', 0).categories).toMatchObject([
      { category: 'error', received: 1, pending: 1 },
      { category: 'log_item', received: 0, notSent: 9 },
    ])
    expect(readLosses(db, 'unknown', 0).categories).toEqual([])
    expect(readLosses(db, null, 0).categories).toMatchObject([
      { category: 'error', received: 22, unexplained: 0 },
      { category: 'span', received: 840, unexplained: 0 },
      { category: 'log_item', received: 0 },
    ])
    expect(ledgerErrors(db)).toEqual([])
  })

  it('count many records of one call each, in parallel', async () => {
    const store = await open()
    await Promise.all(Array.from({ length: 10 }, () => storeEachState(store, 'a')))
    const db = await store.readSide()
    expect(readTotals(db)).toMatchObject({ items: { received: 140, pending: 40 }, unexplained: [] })
    expect(ledgerErrors(db)).toEqual([])
  })
})
