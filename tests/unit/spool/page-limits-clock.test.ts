import { afterAll, describe, expect, it } from 'vitest'
import type { CorrectedLimit } from '../../../collector/spool/submission'
import { removeFolders } from './in-process-spool'
import { limitUntil, NOW, pageLimitRows, pageSender, SECOND } from './sent-limits'

afterAll(removeFolders)

/** A limit that ended at this second of the old clock, after the clock was set by this many seconds. */
const corrected = (category: string, seconds: number, by: number): CorrectedLimit => ({
  ...limitUntil(category, seconds + by),
  publicKey: 'key',
  project: '1',
  receivedAt: NOW + by * SECOND,
  reason: null,
  scope: null,
  sourceSeq: null,
  by: by * SECOND,
})

describe('a page limit, when the clock is set', () => {
  it.each([
    ['forward', 3600],
    ['back', -3600],
  ])('%s, is checked by the time that is left', async (_w, by) => {
    const { spool, send, at } = pageSender()
    await send('error', [limitUntil('transaction', 60)])
    at(10 + by)
    await spool.correctLimits([corrected('transaction', 60, by)])
    expect(pageLimitRows(spool)).toMatchObject([{ sent: by * SECOND, until: (60 + by) * SECOND }])
    at(59 + by)
    await send('transaction')
    expect(pageLimitRows(spool)).toMatchObject([{ violated: (59 + by) * SECOND, resumed_seq: null }])
    at(60 + by)
    await send('transaction')
    expect(pageLimitRows(spool)).toMatchObject([{ resumed: (60 + by) * SECOND }])
  })

  it('keeps its times if it was sent after that', async () => {
    const { spool, send, at } = pageSender()
    at(3600)
    await send('error', [limitUntil('transaction', 3650)])
    await spool.correctLimits([corrected('transaction', 50, 3600)])
    expect(pageLimitRows(spool)).toMatchObject([{ sent: 3600 * SECOND, until: 3650 * SECOND }])
  })

  it('keeps its times if it belongs to another limit or had ended', async () => {
    const { spool, send, at } = pageSender()
    await send('error', [limitUntil('transaction', 60), limitUntil('span', 5), limitUntil('session', 60)])
    at(10 + 3600)
    await spool.correctLimits([corrected('transaction', 60, 3600), corrected('span', 60, 3600)])
    expect(pageLimitRows(spool)).toMatchObject([
      { category: 'session', until: 60 * SECOND },
      { category: 'span', until: 5 * SECOND },
      { category: 'transaction', until: 3660 * SECOND },
    ])
  })

  it('of one category moves with a limit of all categories', async () => {
    const { spool, send, at } = pageSender()
    await send('error', [limitUntil('transaction', 60), limitUntil('span', 60)])
    at(3600)
    await spool.correctLimits([corrected('all', 60, 3600)])
    expect(pageLimitRows(spool)).toMatchObject([{ until: 3660 * SECOND }, { until: 3660 * SECOND }])
  })
})
