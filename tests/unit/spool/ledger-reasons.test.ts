import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openForWriting } from '../../../collector/spool/database'
import { migrate } from '../../../collector/spool/schema'
import { openInProcess, removeFolders, seqOf, submission, temporaryFolder } from './in-process-spool'

afterAll(removeFolders)

it('keeps the sums and the pending deliveries of a schema 4 data folder, whose totals had no reasons', async () => {
  const folder = temporaryFolder()
  const old = openForWriting(join(folder, 'spool.db'), 'FULL')
  migrate(old, 4)
  const insert = old.prepare(
    `INSERT INTO submissions (receipt, journal, received_at, door, project, public_key, stamp, facts, quantities, bytes, deflated, body)
     VALUES (?, 1, 1, 'envelope', '1', 'key', 'told', '{}', ?, 1, 0, x'00')`,
  )
  insert.run('a', '[["error",1],["span",7]]')
  insert.run('b', '[["error",1]]')
  old.exec(`INSERT INTO owed (seq, public_key, project) VALUES (1, 'key', '1');
    INSERT INTO outcomes VALUES (2, -1, 'invalid', 'upstream_400', 1);
    INSERT INTO books VALUES ('error', 'received', 2, 2), ('error', 'invalid', 1, 1), ('span', 'received', 7, 1)`)
  old.close()

  const spool = openInProcess({ folder })
  const totals = () =>
    spool.db.prepare('SELECT category, entry, reason, quantity, items FROM ledger_totals WHERE items <> 0').raw().all()
  expect(totals()).toEqual([
    ['error', 'invalid', '', 1, 1],
    ['error', 'pending', '', 1, 1],
    ['error', 'received', '', 2, 2],
    ['span', 'pending', '', 7, 1],
    ['span', 'received', '', 7, 1],
  ])
  await spool.settle(1, [{ item: -1, outcome: 'accepted', reason: null }], [])
  expect([spool.quantityOf('pending'), spool.quantityOf('accepted'), spool.quantityOf('received')]).toEqual([0, 8, 9])
  // Totals per stamp begin with schema 5.
  expect(spool.db.prepare('SELECT count(*) FROM stamp_ledger_totals').pluck().get()).toBe(0)
  expect(await seqOf(spool.append(submission()))).toBe(3)
})
