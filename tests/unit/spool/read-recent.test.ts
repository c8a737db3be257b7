import { afterAll, expect, it } from 'vitest'
import { MAX_RECENT_RECORDS, readRecent } from '../../../collector/spool/read/read-recent'
import { openInProcess, removeFolders, submission } from './in-process-spool'

afterAll(removeFolders)

it(`a start counts the newest ${MAX_RECENT_RECORDS} records again`, () => {
  const spool = openInProcess({})
  spool.writer.commit(() => {
    for (let at = 0; at < 5001; at += 1) spool.writer.insertSubmission(submission({ receivedAt: at, size: 1 }))
  })
  const times = readRecent(spool.db, 0, Number.MAX_SAFE_INTEGER).received.map(({ at }) => at)
  expect([times.length, Math.min(...times)]).toEqual([5000, 1])
  spool.close()
})
