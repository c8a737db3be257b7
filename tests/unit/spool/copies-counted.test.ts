import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openForWriting } from '../../../collector/spool/database'
import { migrate } from '../../../collector/spool/schema'
import { keptSubmission, openInProcess, removeFolders, submission, temporaryFolder } from './in-process-spool'

afterAll(removeFolders)

const copy = () => submission({ endpoint: 'stream', deliveryStatus: 'copy' })

it('counts stored copies', async () => {
  const spool = openInProcess({})
  for (const one of [copy(), keptSubmission(), copy()]) await spool.append(one)
  expect((await spool.usage()).copies).toBe(2)
  await spool.evictSettled([1, 2])
  expect((await spool.usage()).copies).toBe(1)
  await spool.clear([3])
  expect((await spool.usage()).copies).toBe(0)
})

it('counts the copies of a schema 3 data folder, which had no counter for them', async () => {
  const folder = temporaryFolder()
  const old = openForWriting(join(folder, 'spool.db'), 'FULL')
  migrate(old, 3)
  const insert = old.prepare(
    `INSERT INTO submissions (receipt, journal, received_at, door, project, public_key, facts, quantities, bytes, deflated, body)
     VALUES (?, 1, 1, ?, '1', 'key', '{}', '[]', 1, 0, x'00')`,
  )
  for (const [n, endpoint] of ['stream', 'envelope', 'stream'].entries()) insert.run(`receipt-${n}`, endpoint)
  old.close()
  expect((await openInProcess({ folder }).usage()).copies).toBe(2)
})
