import { afterAll, describe, expect, it } from 'vitest'
import type { CorrectedLimit } from '../../../collector/spool/submission'
import { type InProcessSpool, removeFolders, submission } from './in-process-spool'
import { limitedPage, limitUntil, NOW, pageLimitRows, pageSender, SECOND } from './sent-limits'

afterAll(removeFolders)

const unnamed = (spool: InProcessSpool): unknown =>
  spool.db.prepare("SELECT value FROM counters WHERE name = 'sent_unnamed'").pluck().get()

describe('a limit that a page was sent', () => {
  it('is stored with its end, the time and the submission that was answered', async () => {
    const { spool } = await limitedPage()
    expect(pageLimitRows(spool)).toEqual([
      {
        page: 'p1',
        category: 'transaction',
        sent: 0,
        until: 60_000,
        sent_with: 1,
        violated_seq: null,
        violated: null,
        resumed_seq: null,
        resumed: null,
      },
    ])
  })

  it('is violated by the first envelope of its category while it runs', async () => {
    const { spool, sendAt } = await limitedPage()
    await sendAt(2, 'error', [limitUntil('transaction', 60)])
    await sendAt(3, 'transaction')
    await sendAt(4, 'transaction')
    expect(pageLimitRows(spool)).toMatchObject([{ violated_seq: 3, violated: 3000, resumed_seq: null }])
  })

  it('is not violated by an envelope that was under way', async () => {
    const { spool, sendAt } = await limitedPage()
    await sendAt(0.5, 'transaction')
    expect(pageLimitRows(spool)).toMatchObject([{ violated_seq: null }])
    await sendAt(0.501, 'transaction')
    expect(pageLimitRows(spool)).toMatchObject([{ violated_seq: 3, violated: 501 }])
  })

  it('is not violated by the envelope whose answer carried it, nor by another page', async () => {
    const { spool, send, sendAt } = pageSender()
    await send('transaction', [limitUntil('transaction', 60)])
    await sendAt(5, 'transaction', [], { facts: { ...submission().facts, page: 'p2' } })
    expect(pageLimitRows(spool)).toMatchObject([{ page: 'p1', violated_seq: null }])
  })

  it('is resumed by the first envelope of its category after its end', async () => {
    const { spool, send, sendAt } = await limitedPage()
    await sendAt(60, 'error')
    expect(pageLimitRows(spool)).toMatchObject([{ resumed_seq: null }])
    await send('transaction')
    await sendAt(61, 'transaction')
    expect(pageLimitRows(spool)).toMatchObject([{ violated_seq: null, resumed_seq: 3, resumed: 60_000 }])
  })

  it('is violated by any category if it is for all, and by either name of metrics', async () => {
    const { spool, send, sendAt } = pageSender()
    await send('error', [limitUntil('all', 60), limitUntil('metric', 60)])
    await sendAt(1, 'session')
    await send('trace_metric')
    expect(pageLimitRows(spool)).toMatchObject([
      { category: 'all', violated_seq: 2 },
      { category: 'metric', violated_seq: 3 },
    ])
  })

  it('is prolonged by a later end, and replaced by a new one after its end', async () => {
    const { spool, sendAt } = await limitedPage()
    await sendAt(10, 'error', [limitUntil('transaction', 70)])
    await sendAt(11, 'error', [limitUntil('transaction', 30)])
    expect(pageLimitRows(spool)).toMatchObject([{ sent: 0, until: 70_000, sent_with: 1 }])
    await sendAt(12, 'transaction')
    await sendAt(70, 'error', [limitUntil('transaction', 100)])
    expect(pageLimitRows(spool)).toMatchObject([{ sent: 70_000, until: 100_000, sent_with: 5, violated_seq: null }])
  })

  it('is checked after a restart', async () => {
    const before = await limitedPage()
    before.spool.close()
    const after = pageSender(before.folder)
    await after.sendAt(5, 'transaction')
    expect(pageLimitRows(after.spool)).toMatchObject([{ violated_seq: 2 }])
  })

  it('is not stored when the transaction is rolled back', async () => {
    const { spool, send, sendAt } = pageSender()
    const given = { ...submission(), facts: { ...submission().facts, page: 'p1' } }
    expect(() =>
      spool.writer.commit(() => {
        spool.writer.insertSubmission({ ...given, reportedLimits: [limitUntil('transaction', 60)] })
        throw new Error('the disk is full')
      }),
    ).toThrow('the disk is full')
    await sendAt(5, 'transaction')
    expect(pageLimitRows(spool)).toEqual([])
    await send('error', [limitUntil('transaction', 60)])
    expect(pageLimitRows(spool)).toMatchObject([{ sent: 5000, sent_with: 2 }])
  })

  it('is neither sent to nor violated by an envelope from a lifeboat', async () => {
    const { spool, send, sendAt } = pageSender()
    const kept = { facts: { ...submission().facts, page: 'p1', keptMs: 5000 } }
    await send('error', [limitUntil('span', 60)], kept)
    await send('error', [limitUntil('transaction', 60)])
    await sendAt(5, 'transaction', [], kept)
    expect(pageLimitRows(spool)).toMatchObject([{ category: 'transaction', violated_seq: null }])
    expect(unnamed(spool)).toBeUndefined()
  })

  it('is not stored for a copy', async () => {
    const { spool, send } = pageSender()
    await send('error', [limitUntil('transaction', 60)], { deliveryStatus: 'copy', endpoint: 'stream' })
    expect(pageLimitRows(spool)).toEqual([])
  })

  it('is one of the last 1000 rows', async () => {
    const { spool, sendAt } = pageSender()
    for (let n = 0; n < 1003; n += 1) {
      await sendAt(n / 1000, 'error', [limitUntil('transaction', 60)], {
        facts: { ...submission().facts, page: `page${n}` },
      })
    }
    expect(pageLimitRows(spool)).toHaveLength(1000)
    expect(pageLimitRows(spool)[0]).toMatchObject({ page: 'page3' })
  })
})

it('counts answers that carry a limit to a client without a page', async () => {
  const { spool, send } = pageSender()
  const noPage = { facts: { ...submission().facts, page: null } }
  await send('error', [], noPage)
  expect(unnamed(spool)).toBeUndefined()
  await send('error', [limitUntil('transaction', 60)], noPage)
  await send('error', [limitUntil('transaction', 60)], noPage)
  expect(unnamed(spool)).toBe(2)
  expect(pageLimitRows(spool)).toEqual([])
})

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
    const { spool, sendAt, at } = await limitedPage()
    at(10 + by)
    await spool.correctLimits([corrected('transaction', 60, by)])
    expect(pageLimitRows(spool)).toMatchObject([{ sent: by * SECOND, until: (60 + by) * SECOND }])
    await sendAt(59 + by, 'transaction')
    expect(pageLimitRows(spool)).toMatchObject([{ violated: (59 + by) * SECOND, resumed_seq: null }])
    await sendAt(60 + by, 'transaction')
    expect(pageLimitRows(spool)).toMatchObject([{ resumed: (60 + by) * SECOND }])
  })

  it('keeps its times if it was sent after that', async () => {
    const { spool, sendAt } = pageSender()
    await sendAt(3600, 'error', [limitUntil('transaction', 3650)])
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

  it('a limit of one category moves with a limit of all categories', async () => {
    const { spool, send, at } = pageSender()
    await send('error', [limitUntil('transaction', 60), limitUntil('span', 60)])
    at(3600)
    await spool.correctLimits([corrected('all', 60, 3600)])
    expect(pageLimitRows(spool)).toMatchObject([{ until: 3660 * SECOND }, { until: 3660 * SECOND }])
  })
})
