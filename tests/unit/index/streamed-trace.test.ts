import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_SORTED_SPANS } from '../../../collector/index/traces/read-trace'
import type { SubmissionRow } from '../../../collector/spool/read/read-submissions'
import { Folder } from './folder'
import { readWholeTrace } from './read-whole-trace'
import { container, id, TRACE, thousand } from './span-records'

let folder: Folder
beforeEach(() => {
  folder = new Folder()
})
afterEach(() => folder.remove())

describe('a trace with more spans than are sorted', () => {
  const RECORDS = MAX_SORTED_SPANS / 1000 + 2
  const all = (): readonly SubmissionRow[] => Array.from({ length: RECORDS }, (_, n) => thousand(n + 1, n * 1000))

  it('comes record by record, the earliest first, each span once', () => {
    // The last record starts first, and comes again as a copy and by a second post.
    const records = [...all().slice(1), thousand(RECORDS + 1, 0)].map((record, n) => ({ ...record, seq: n + 1 }))
    folder.take([...records, thousand(100, 5000), { ...thousand(101, 0), endpoint: 'stream' }])
    const trace = readWholeTrace(folder, TRACE)
    expect(trace?.summary.spanCount).toBe(RECORDS * 1000)
    expect(new Set(trace?.spans.map(({ spanId }) => spanId)).size).toBe(RECORDS * 1000)
    expect(trace?.spans).toHaveLength(RECORDS * 1000)
    expect(trace?.spans.slice(0, 1000).map(({ spanId, seq }) => `${spanId} of ${seq}`)).toEqual(
      Array.from({ length: 1000 }, (_, n) => `${id(n)} of ${RECORDS}`),
    )
    expect(trace?.spans.find(({ spanId }) => spanId === id(5999))?.seq).toBe(100)
    expect(trace?.truncated).toBe(false)
  })

  it('is cut when fewer spans are requested', () => {
    folder.take(all())
    const trace = readWholeTrace(folder, TRACE, 1500)
    expect(trace?.spans.map(({ spanId }) => spanId)).toEqual(Array.from({ length: 1500 }, (_, n) => id(n)))
    expect(trace?.truncated).toBe(true)
  })

  it('leaves out records that are evicted during the read and stays valid JSON', () => {
    folder.take(all())
    const trace = readWholeTrace(folder, TRACE, 100_000, (piece) => {
      if (piece === 3) folder.evict(Array.from({ length: RECORDS - 2 }, (_, n) => n + 1))
    })
    expect(trace?.summary.spanCount).toBe(RECORDS * 1000)
    const read = new Set(trace?.spans.map(({ seq }) => seq))
    expect(read.size).toBeLessThan(RECORDS)
    expect([...read]).toEqual(expect.arrayContaining([1, RECORDS - 1, RECORDS]))
  })

  it('stays valid JSON when all of it is evicted during the read', () => {
    const segments = (seq: number, first: number) =>
      container(
        seq,
        Array.from({ length: 300 }, (_, n) => ({ span: first + n, from: first + n, to: 2000, segment: first + n })),
      )
    folder.take([segments(1, 1), segments(2, 301)])
    const trace = readWholeTrace(folder, TRACE, 100_000, (piece) => piece === 0 && folder.evict([1]))
    expect(trace?.segments.map(({ segmentId }) => segmentId)).toEqual(
      Array.from({ length: 300 }, (_, n) => id(301 + n)),
    )
    expect(trace?.spans).toHaveLength(300)
  })

  it('continues after the index file was replaced', () => {
    folder.take(all())
    const trace = readWholeTrace(folder, TRACE, 100_000, (piece) => {
      if (piece === 3) folder.reopen((path) => path)
    })
    expect(trace?.spans).toHaveLength(RECORDS * 1000)
  })
})
