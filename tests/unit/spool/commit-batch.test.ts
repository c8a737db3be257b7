import { afterAll, describe, expect, it } from 'vitest'
import type { Call } from '../../../collector/runtime/thread-call'
import { commitBatch } from '../../../collector/spool/commit-batch'
import type { Submission } from '../../../collector/spool/submission'
import { balance, openInProcess, removeFolders, submission } from './in-process-spool'

afterAll(removeFolders)

/** A batch of a spool's calls; `fail` does a part of its work before it fails. */
function batches() {
  const spool = openInProcess({})
  const { db, writer } = spool
  let tries = 0
  const staged = {
    append: (one: Submission) => writer.insertSubmission(one),
    fail: (one: Submission) => {
      tries += 1
      writer.insertSubmission(one)
      throw new TypeError('nobody knows how')
    },
  }
  const carry = (calls: readonly (readonly [keyof typeof staged, Submission])[]) =>
    commitBatch(
      calls.map(([method, one], at): Call => ({ id: at + 1, method, args: [one] })),
      staged,
      { db, writer },
    )
  return { ...spool, carry, tries: () => tries }
}

describe('a batch of calls', () => {
  it('is carried out whole, and answered in its order', () => {
    const { carry, db } = batches()
    const { answers, facts } = carry([
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

  it('loses one that fails, with all that it had done, and nothing of the others', () => {
    const { carry, tries, db, writer, ...spool } = batches()
    const { answers, facts } = carry([
      ['append', submission({ receipt: 'first' })],
      ['fail', submission({ receipt: 'second' })],
      ['append', submission({ receipt: 'third' })],
    ])
    expect(answers).toMatchObject([{ id: 1 }, { id: 2, error: { message: 'nobody knows how' } }, { id: 3 }])
    expect(db.prepare('SELECT receipt FROM submissions ORDER BY seq').pluck().all()).toEqual(['first', 'third'])
    expect(facts).toMatchObject([{ kind: 'received' }, { kind: 'received' }])
    expect(facts.map(({ n }) => n)).toEqual(db.prepare('SELECT n FROM journal ORDER BY n').pluck().all())
    expect(writer.budget.sums).toMatchObject({ records: 2, pendingRecords: 2 })
    expect(balance({ ...spool, db, writer })).toEqual({ received: 2, accounted: 2 })
    expect(tries()).toBe(2)
  })

  it('is not carried out again where all of it was given up', () => {
    const { carry, tries, db } = batches()
    db.exec("CREATE TRIGGER full BEFORE INSERT ON journal BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END")
    expect(() => carry([['fail', submission()]])).toThrow('the disk is full')
    expect(tries()).toBe(1)
    expect(db.inTransaction).toBe(false)
  })
})
