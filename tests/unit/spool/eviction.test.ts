import { afterAll, expect, it } from 'vitest'
import { evictBatch } from '../../../collector/spool/eviction'
import { EXPIRES_AFTER_MS } from '../../../collector/spool/evictor'
import { accepted, kept, removeFolders, submission } from './in-process-spool'
import { pass, seqsOf, station } from './station'

afterAll(removeFolders)

it('room is made of one class after the other: what owes nothing, rows, dead letters, what is past due', async () => {
  let ran = 0
  const { spool, rows, keeper } = station({ monotonic: () => ran })
  for (const one of [submission(), submission(), submission(), kept()]) await pass({ spool, rows, keeper }, one)
  for (const seq of [1, 3]) await spool.recordAttempt(accepted(seq, { status: 413, decision: null, dead: true }))
  ran = EXPIRES_AFTER_MS
  const steps: string[] = []
  // A byte at a time is a record at a time.
  while (await evictBatch(spool, rows, 1)) {
    const { evicted } = await spool.usage()
    steps.push(
      `${seqsOf(spool)} with rows ${[1, 2, 3, 4].filter(rows.has)}: ${evicted.deadLetters}, ${evicted.expired}`,
    )
  }
  expect(steps).toEqual([
    '1,2,3 with rows 1,2,3: 0, 0',
    '1,2,3 with rows 2,3: 0, 0',
    '1,2,3 with rows 3: 0, 0',
    '1,2,3 with rows : 0, 0',
    '2,3 with rows : 1, 0',
    '2 with rows : 2, 0',
    ' with rows : 2, 1',
  ])
  expect([spool.booked('invalid'), spool.booked('expired'), spool.booked('kept'), spool.booked('pending')]).toEqual([
    2, 1, 1, 0,
  ])
})
