import { afterAll, describe, expect, it } from 'vitest'
import { type InProcessSpool, removeFolders, submission } from './in-process-spool'
import { pagesOf, rows, until } from './sent-limits'

afterAll(removeFolders)

const unnamed = (spool: InProcessSpool): unknown =>
  spool.db.prepare("SELECT value FROM counters WHERE name = 'sent_unnamed'").pluck().get()

describe('a page that is told a limit', () => {
  it('is remembered with what it was told, when and by which answer', async () => {
    const { spool, send } = pagesOf()
    await send('error', [until('transaction', 60)])
    expect(rows(spool)).toEqual([
      {
        page: 'p1',
        category: 'transaction',
        told: 0,
        until: 60_000,
        sent_with: 1,
        violated_seq: null,
        broke: null,
        resumed_seq: null,
        resumed: null,
      },
    ])
  })

  it('breaks it by the first that comes of the category while the limit runs', async () => {
    const { spool, send, at } = pagesOf()
    await send('error', [until('transaction', 60)])
    at(2)
    await send('error', [until('transaction', 60)])
    at(3)
    await send('transaction')
    at(4)
    await send('transaction')
    expect(rows(spool)).toMatchObject([{ violated_seq: 3, broke: 3000, resumed_seq: null }])
  })

  it('breaks nothing by what was under way when it was told', async () => {
    const { spool, send, at } = pagesOf()
    await send('error', [until('transaction', 60)])
    at(0.5)
    await send('transaction')
    expect(rows(spool)).toMatchObject([{ violated_seq: null }])
    at(0.501)
    await send('transaction')
    expect(rows(spool)).toMatchObject([{ violated_seq: 3, broke: 501 }])
  })

  it('breaks nothing by the very envelope that it is told with, nor by one of another page', async () => {
    const { spool, send, at } = pagesOf()
    await send('transaction', [until('transaction', 60)])
    at(5)
    await send('transaction', [], { facts: { ...submission().facts, page: 'p2' } })
    expect(rows(spool)).toMatchObject([{ page: 'p1', violated_seq: null }])
  })

  it('resumes by the first of the category that comes when the limit has ended', async () => {
    const { spool, send, at } = pagesOf()
    await send('error', [until('transaction', 60)])
    at(60)
    await send('error')
    expect(rows(spool)).toMatchObject([{ resumed_seq: null }])
    await send('transaction')
    at(61)
    await send('transaction')
    expect(rows(spool)).toMatchObject([{ violated_seq: null, resumed_seq: 3, resumed: 60_000 }])
  })

  it('breaks a limit of everything by anything, and one of metrics by either name', async () => {
    const { spool, send, at } = pagesOf()
    await send('error', [until('all', 60), until('metric', 60)])
    at(1)
    await send('session')
    await send('trace_metric')
    expect(rows(spool)).toMatchObject([
      { category: 'all', violated_seq: 2 },
      { category: 'metric', violated_seq: 3 },
    ])
  })

  it('is told a longer end of the same limit, and begins anew when it had ended', async () => {
    const { spool, send, at } = pagesOf()
    await send('error', [until('transaction', 60)])
    at(10)
    await send('error', [until('transaction', 70)])
    at(11)
    await send('error', [until('transaction', 30)])
    expect(rows(spool)).toMatchObject([{ told: 0, until: 70_000, sent_with: 1 }])
    at(12)
    await send('transaction')
    at(70)
    await send('error', [until('transaction', 100)])
    expect(rows(spool)).toMatchObject([{ told: 70_000, until: 100_000, sent_with: 5, violated_seq: null }])
  })

  it('is judged after a restart by what it was told before', async () => {
    const before = pagesOf()
    await before.send('error', [until('transaction', 60)])
    before.spool.close()
    const after = pagesOf(before.folder)
    after.at(5)
    await after.send('transaction')
    expect(rows(after.spool)).toMatchObject([{ violated_seq: 2 }])
  })

  it('was not told what could not be stored', async () => {
    const { spool, send, at } = pagesOf()
    const given = { ...submission(), facts: { ...submission().facts, page: 'p1' } }
    expect(() =>
      spool.writer.commit(() => {
        spool.writer.insertSubmission({ ...given, reportedLimits: [until('transaction', 60)] })
        throw new Error('the disk is full')
      }),
    ).toThrow('the disk is full')
    at(5)
    await send('transaction')
    expect(rows(spool)).toEqual([])
    await send('error', [until('transaction', 60)])
    expect(rows(spool)).toMatchObject([{ told: 5000, sent_with: 2 }])
  })

  it('is not told, and breaks nothing, by what was kept in the lifeboat of its tunnel', async () => {
    const { spool, send, at } = pagesOf()
    const kept = { facts: { ...submission().facts, page: 'p1', keptMs: 5000 } }
    await send('error', [until('span', 60)], kept)
    await send('error', [until('transaction', 60)])
    at(5)
    await send('transaction', [], kept)
    expect(rows(spool)).toMatchObject([{ category: 'transaction', violated_seq: null }])
    expect(unnamed(spool)).toBeUndefined()
  })

  it('is no copy', async () => {
    const { spool, send } = pagesOf()
    await send('error', [until('transaction', 60)], { deliveryStatus: 'copy', endpoint: 'stream' })
    expect(rows(spool)).toEqual([])
  })

  it('is one of the last 1000', async () => {
    const { spool, send, at } = pagesOf()
    for (let n = 0; n < 1003; n += 1) {
      at(n / 1000)
      await send('error', [until('transaction', 60)], { facts: { ...submission().facts, page: `page${n}` } })
    }
    expect(rows(spool)).toHaveLength(1000)
    expect(rows(spool)[0]).toMatchObject({ page: 'page3' })
  })
})

it('an answer that tells a limit to somebody who names no page is counted', async () => {
  const { spool, send } = pagesOf()
  const nobody = { facts: { ...submission().facts, page: null } }
  await send('error', [], nobody)
  expect(unnamed(spool)).toBeUndefined()
  await send('error', [until('transaction', 60)], nobody)
  await send('error', [until('transaction', 60)], nobody)
  expect(unnamed(spool)).toBe(2)
  expect(rows(spool)).toEqual([])
})
