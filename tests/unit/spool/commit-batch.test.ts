import { afterAll, expect, it } from 'vitest'
import type { Call } from '../../../collector/runtime/thread-call'
import { commitBatch } from '../../../collector/spool/commit-batch'
import type { Submission } from '../../../lib/protocol/submission'
import { balance, openInProcess, removeFolders, submission } from './in-process-spool'

afterAll(removeFolders)

/** A spool with the methods `append` and `fail`, which writes before it throws. */
function spoolWithBatches() {
  const spool = openInProcess({})
  const { db, writer } = spool
  let tries = 0
  const methods = {
    append: (one: Submission) => writer.insertSubmission(one),
    fail: (one: Submission) => {
      tries += 1
      writer.insertSubmission(one)
      throw new TypeError('a bug')
    },
  }
  const run = (calls: readonly (readonly [keyof typeof methods, Submission])[]) =>
    commitBatch(
      calls.map(([method, one], at): Call => ({ id: at + 1, method, args: [one] })),
      methods,
      { db, writer },
    )
  return { ...spool, run, tries: () => tries }
}

it('a batch of calls is committed whole and answered in order', () => {
  const { run, db } = spoolWithBatches()
  const { answers, facts } = run([
    ['append', submission()],
    ['append', submission()],
  ])
  expect(answers).toMatchObject([
    { id: 1, value: { seq: 1 } },
    { id: 2, value: { seq: 2 } },
  ])
  expect(facts).toHaveLength(2)
  expect(db.inTransaction).toBe(false)
})

it('a batch of calls rolls back only the changes of a call that fails', () => {
  const { run, tries, db, writer, ...spool } = spoolWithBatches()
  const { answers, facts } = run([
    ['append', submission({ receipt: 'first' })],
    ['fail', submission({ receipt: 'second' })],
    ['append', submission({ receipt: 'third' })],
  ])
  expect(answers).toMatchObject([{ id: 1 }, { id: 2, error: { message: 'a bug' } }, { id: 3 }])
  expect(db.prepare('SELECT receipt FROM submissions ORDER BY seq').pluck().all()).toEqual(['first', 'third'])
  expect(facts).toMatchObject([{ kind: 'received' }, { kind: 'received' }])
  expect(facts.map(({ n }) => n)).toEqual(db.prepare('SELECT n FROM journal ORDER BY n').pluck().all())
  expect(writer.budget.sums).toMatchObject({ records: 2, pendingRecords: 2 })
  expect(balance({ ...spool, db, writer })).toEqual({ received: 2, accounted: 2 })
  expect(tries()).toBe(2)
})

it('a batch of calls does not run again when SQLite rolled back the transaction', () => {
  const { run, tries, db } = spoolWithBatches()
  db.exec("CREATE TRIGGER full BEFORE INSERT ON journal BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END")
  expect(() => run([['fail', submission()]])).toThrow('the disk is full')
  expect(tries()).toBe(1)
  expect(db.inTransaction).toBe(false)
})
