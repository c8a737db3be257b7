import { afterAll, expect, it } from 'vitest'
import { migrate } from '../../../collector/spool/schema'
import { kept, openInProcess, removeFolders, submission } from './in-process-spool'

afterAll(removeFolders)

const copy = () => submission({ door: 'stream', fate: 'copy' })

it('copies are counted as they come and go', async () => {
  const spool = openInProcess({})
  for (const one of [copy(), kept(), copy()]) await spool.append(one)
  expect((await spool.usage()).copies).toBe(2)
  await spool.evict([1, 2])
  expect((await spool.usage()).copies).toBe(1)
  await spool.clear([3])
  expect((await spool.usage()).copies).toBe(0)
})

it('copies in a folder that did not count them are counted when it is opened', async () => {
  const spool = openInProcess({})
  for (const one of [copy(), kept(), copy()]) await spool.append(one)
  spool.db.exec(`DELETE FROM counters WHERE name = 'copies'; DROP INDEX outcomes_unusual; DROP INDEX deliveries_unusual;
    PRAGMA user_version = 3`)
  migrate(spool.db)
  expect((await spool.usage()).copies).toBe(2)
})
