import { afterAll, expect, it } from 'vitest'
import { EXPIRES_AFTER_MS } from '../../../collector/spool/disk/delete-records'
import { evictBatch } from '../../../collector/spool/disk/eviction'
import { accepted, keptSubmission, removeFolders, submission } from './in-process-spool'
import { appendAndDigest, seqsOf, station } from './station'

afterAll(removeFolders)

it('evicts class by class: settled records, rows of pending records, dead letters, expired records', async () => {
  let ran = 0
  const { spool, rows, keeper } = station({ monotonic: () => ran })
  for (const one of [submission(), submission(), submission(), keptSubmission()])
    await appendAndDigest({ spool, rows, keeper }, one)
  for (const seq of [1, 3]) await spool.recordAttempt(accepted(seq, { status: 413, decision: null, dead: true }))
  ran = EXPIRES_AFTER_MS
  const steps: string[] = []
  const announced: unknown[] = []
  const announce = async () => announced.push(await spool.usage().then(({ next }) => next && [next.what, next.seq]))
  await announce()
  // One byte at a time evicts one record at a time.
  while (await evictBatch(spool, rows, 1)) {
    const { evicted } = await spool.usage()
    steps.push(
      `${seqsOf(spool)} with rows ${[1, 2, 3, 4].filter(rows.has)}: ${evicted.deadLetters}, ${evicted.expired}`,
    )
    await announce()
  }
  expect(announced).toEqual([
    ['settled', 4],
    ['rows', 1],
    ['rows', 2],
    ['rows', 3],
    ['dead_letter', 1],
    ['dead_letter', 3],
    ['expired', 2],
    null,
  ])
  expect(steps).toEqual([
    '1,2,3 with rows 1,2,3: 0, 0',
    '1,2,3 with rows 2,3: 0, 0',
    '1,2,3 with rows 3: 0, 0',
    '1,2,3 with rows : 0, 0',
    '2,3 with rows : 1, 0',
    '2 with rows : 2, 0',
    ' with rows : 2, 1',
  ])
  expect([
    spool.quantityOf('invalid'),
    spool.quantityOf('expired'),
    spool.quantityOf('kept'),
    spool.quantityOf('pending'),
  ]).toEqual([2, 1, 1, 0])
})
