import { afterAll, describe, expect, it } from 'vitest'
import type { CorrectedLimit } from '../../../collector/spool/submission'
import { removeFolders } from './in-process-spool'
import { NOW, pagesOf, rows, SECOND, until } from './sent-limits'

afterAll(removeFolders)

/** A limit that ended then by the clock before it was set by so many seconds. */
const corrected = (category: string, seconds: number, by: number): CorrectedLimit => ({
  ...until(category, seconds + by),
  publicKey: 'key',
  project: '1',
  receivedAt: NOW + by * SECOND,
  reason: null,
  scope: null,
  sourceSeq: null,
  by: by * SECOND,
})

describe('a page that is told a limit', () => {
  it.each([
    ['forward', 3600],
    ['back', -3600],
  ])('and obeys while the clock is set %s has not resumed, and is judged by the time that is left', async (_w, by) => {
    const { spool, send, at } = pagesOf()
    await send('error', [until('transaction', 60)])
    at(10 + by)
    await spool.correctLimits([corrected('transaction', 60, by)])
    expect(rows(spool)).toMatchObject([{ told: by * SECOND, until: (60 + by) * SECOND }])
    at(59 + by)
    await send('transaction')
    expect(rows(spool)).toMatchObject([{ broke: (59 + by) * SECOND, resumed_seq: null }])
    at(60 + by)
    await send('transaction')
    expect(rows(spool)).toMatchObject([{ resumed: (60 + by) * SECOND }])
  })

  it('is told by the new clock what it is told once that was set', async () => {
    const { spool, send, at } = pagesOf()
    at(3600)
    await send('error', [until('transaction', 3650)])
    await spool.correctLimits([corrected('transaction', 50, 3600)])
    expect(rows(spool)).toMatchObject([{ told: 3600 * SECOND, until: 3650 * SECOND }])
  })

  it('of one limit keeps what it was told of another, and what was over before the clock was set', async () => {
    const { spool, send, at } = pagesOf()
    await send('error', [until('transaction', 60), until('span', 5), until('session', 60)])
    at(10 + 3600)
    await spool.correctLimits([corrected('transaction', 60, 3600), corrected('span', 60, 3600)])
    expect(rows(spool)).toMatchObject([
      { category: 'session', until: 60 * SECOND },
      { category: 'span', until: 5 * SECOND },
      { category: 'transaction', until: 3660 * SECOND },
    ])
  })

  it('of everything by its parts is told another end of all of them', async () => {
    const { spool, send, at } = pagesOf()
    await send('error', [until('transaction', 60), until('span', 60)])
    at(3600)
    await spool.correctLimits([corrected('all', 60, 3600)])
    expect(rows(spool)).toMatchObject([{ until: 3660 * SECOND }, { until: 3660 * SECOND }])
  })
})
