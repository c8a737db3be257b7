import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type RecordedFilter, readRecorded } from '../../../collector/spool/read/read-recorded'
import { decodeSubmission } from '../../../lib/verdict/evidence/read-evidence'
import type { RecordedPage } from '../../../lib/wire/journal'
import { RecordedFolder } from '../index/recorded-folder'
import { removeFolders } from './in-process-spool'

let folder: RecordedFolder
beforeEach(() => {
  folder = new RecordedFolder(() => 1_795_000_000_000)
})
afterEach(() => folder.close())
afterAll(removeFolders)

const bodyOf = (word: string): string => `{}\n{"type":"session"}\n{"sid":"${word}"}`
/** It may be evicted. */
const KEPT = { deliveryStatus: { outcome: 'kept', reason: 'no_upstream' } } as const
const EVERYBODY: RecordedFilter = { stamp: null, unstamped: false }
const ALL = { bytes: 1e9, scanned: 1e6 }

const read = (after = 0, filter = EVERYBODY, limit = 200, bounds: Partial<typeof ALL> = {}): RecordedPage =>
  readRecorded(folder.db, after, filter, limit, { ...ALL, ...bounds })

const seqsOf = ({ recorded }: RecordedPage): readonly number[] => recorded.map(({ seq }) => seq)

/** Follows `next` to the end of the record. */
function follow(
  filter: RecordedFilter,
  limit: number,
  bounds: Partial<typeof ALL> = {},
): readonly (readonly number[])[] {
  const pages: (readonly number[])[] = []
  for (let after = 0; ; ) {
    const page = read(after, filter, limit, bounds)
    pages.push(seqsOf(page))
    if (page.next === page.journal) return pages
    expect(page.next).toBeGreaterThan(after)
    after = page.next
  }
}

describe('recorded submissions', () => {
  it('are read with their facts, byte for byte, before they are digested', () => {
    const body = bodyOf('ä'.repeat(1000))
    const facts = {
      method: 'POST',
      contentType: null,
      contentEncoding: null,
      userAgent: 'Mozilla/5.0',
      clientHints: {},
      origin: 'http://localhost:3000',
      forwardedFor: '10.0.0.1',
      page: 'p1',
      lab: false,
    }
    folder.receive(body, { stamp: 'mine', project: '7', publicKey: 'key', endpoint: 'tunnel', receivedAt: 1000, facts })
    const page = read()
    const [one] = page.recorded
    expect(page).toMatchObject({ damaged: [], oldest: one?.journal })
    expect(one && decodeSubmission(one)).toEqual({
      seq: 1,
      journal: 1,
      receivedAt: 1000,
      endpoint: 'tunnel',
      project: '7',
      publicKey: 'key',
      stamp: 'mine',
      page: 'p1',
      userAgent: 'Mozilla/5.0',
      origin: 'http://localhost:3000',
      contentType: null,
      body: new TextEncoder().encode(body),
    })
  })

  it('are none in an empty folder', () => {
    expect(read()).toEqual({ recorded: [], damaged: [], next: 0, journal: 0, oldest: 0 })
  })

  it('start after a journal number, with other facts in between', async () => {
    const journals = [1, 2, 3, 4].map((n) => {
      folder.receive(bodyOf(String(n)))
      return read().recorded.at(-1)?.journal ?? 0
    })
    const last = journals.at(-1) ?? 0
    for (const after of Array.from({ length: last + 1 }, (_, n) => n))
      expect([after, seqsOf(read(after))]).toEqual([
        after,
        [1, 2, 3, 4].filter((_, index) => (journals[index] ?? 0) > after),
      ])
    expect(read(last)).toMatchObject({ recorded: [], next: read().journal })
  })

  it('start after a journal number when the middle of the record was evicted', async () => {
    const seqs = folder.receiveAll(Array.from({ length: 30 }, (_, n) => ({ body: bodyOf(String(n)), given: KEPT })))
    const journals = read().recorded.map(({ journal }) => journal)
    await folder.evict(seqs.slice(5, 20))
    const left = [...seqs.slice(0, 5), ...seqs.slice(20)]
    for (const [index, after] of journals.entries())
      expect([after, seqsOf(read(after))]).toEqual([after, left.filter((seq) => seq > (seqs[index] ?? 0))])
    await folder.evict(seqs.slice(0, 5))
    expect(read().oldest).toBe(journals[20])
  })

  it('come once each, with pages bounded by number, bytes and scanned submissions', () => {
    const sizes = [10, 900, 10, 10, 5000, 10]
    folder.receiveAll(sizes.map((size) => ({ body: bodyOf('x'.repeat(size)), given: {} })))
    expect(follow(EVERYBODY, 4)).toEqual([
      [1, 2, 3, 4],
      [5, 6],
    ])
    expect(follow(EVERYBODY, 200, { bytes: 1100 })).toEqual([[1, 2, 3, 4], [5], [6]])
    expect(follow(EVERYBODY, 200, { bytes: 1 })).toEqual([[1], [2], [3], [4], [5], [6]])
    expect(follow(EVERYBODY, 200, { scanned: 5 })).toEqual([[1, 2, 3, 4, 5], [6]])
    expect(follow(EVERYBODY, 200)).toEqual([[1, 2, 3, 4, 5, 6]])
  })

  it('are selected by stamp, without a stamp, or both', () => {
    for (const stamp of ['mine', null, 'other', 'mine', null]) folder.receive(bodyOf('1'), { stamp })
    expect(follow({ stamp: 'mine', unstamped: false }, 200)).toEqual([[1, 4]])
    expect(follow({ stamp: 'mine', unstamped: true }, 200)).toEqual([[1, 2, 4, 5]])
    expect(follow({ stamp: null, unstamped: true }, 200)).toEqual([[2, 5]])
    expect(follow({ stamp: 'mine', unstamped: false }, 1)).toEqual([[1], [4]])
    expect(follow({ stamp: 'mine', unstamped: false }, 200, { scanned: 2 })).toEqual([[1], [4], []])
    expect(follow({ stamp: 'nobody’s', unstamped: false }, 200, { scanned: 2 })).toEqual([[], [], []])
  })

  it('report the end of the record with limit 0', () => {
    for (const word of ['1', '2', '3']) folder.receive(bodyOf(word))
    const prepared = vi.spyOn(folder.db, 'prepare')
    const page = read(1, EVERYBODY, 0)
    expect(prepared.mock.calls.filter(([sql]) => sql.includes('body'))).toEqual([])
    expect(page).toEqual({ recorded: [], damaged: [], next: 1, journal: read().journal, oldest: 1 })
    expect(page.journal).toBeGreaterThanOrEqual(3)
  })

  it('include submissions that arrive during the read', () => {
    folder.receive(bodyOf('1'))
    const prepare = folder.db.prepare.bind(folder.db)
    // The head is read before the submissions.
    const receives = (sql: string): ReturnType<typeof prepare> => {
      if (sql.includes('body')) folder.receive(bodyOf('2'))
      return prepare(sql)
    }
    vi.spyOn(folder.db, 'prepare').mockImplementation(receives as typeof prepare)
    const page = read()
    expect(seqsOf(page)).toEqual([1, 2])
    expect([page.next, page.journal]).toEqual([page.recorded.at(-1)?.journal, page.recorded.at(-1)?.journal])
  })

  it('name unreadable ones and continue after them', () => {
    folder.receiveAll(Array.from({ length: 4 }, () => ({ body: bodyOf('x'.repeat(2000)), given: {} })))
    folder.spool.db.prepare("UPDATE submissions SET deflated = 1, body = x'ffffffff' WHERE seq IN (2, 4)").run()
    expect(read()).toMatchObject({ recorded: [{ seq: 1 }, { seq: 3 }], damaged: [2, 4], next: 4 })
    expect(read(1, EVERYBODY, 1)).toMatchObject({ recorded: [], damaged: [2], next: 2, journal: 4 })
  })
})
