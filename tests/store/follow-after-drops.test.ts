import { describe, expect, it } from 'vitest'
import type { JournalPage, MirrorCursor, MirroredTotal } from '../../collector/spool/mirror/journal-page'
import { CursorLostError } from '../../collector/spool-postgres/follow/read-page'
import { dropPartition } from '../../collector/spool-postgres/housekeeping/drop-partitions'
import { deleteCommits, foldTotals } from '../../collector/spool-postgres/housekeeping/upkeep'
import { accepted, keptSubmission, submission } from '../unit/spool/in-process-spool'
import { closeKeptStores, HOUR_MS, type KeptStore, openKeptStore, server } from './housekeeping-store'

const START: MirrorCursor = { n: 0, batch: null }

async function readAll(store: KeptStore, limit: number, from = START): Promise<readonly JournalPage[]> {
  const page = await store.follow(from, limit)
  return page === null ? [] : [page, ...(await readAll(store, limit, page.upTo))]
}

const numbers = (pages: readonly JournalPage[]): readonly number[] =>
  pages.flatMap(({ facts }) => facts.map(({ n }) => n))

const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at)

/** The totals of a mirror that applies these pages. */
function applied(pages: readonly JournalPage[]): ReadonlyMap<string, number> {
  let totals = new Map<string, number>()
  const add = ({ category, entry, reason, quantity }: MirroredTotal): void => {
    const key = `${category} ${entry} ${reason}`
    totals.set(key, (totals.get(key) ?? 0) + quantity)
  }
  for (const page of pages) {
    if (page.base !== undefined) totals = new Map()
    for (const total of [...(page.base?.totals ?? []), ...page.totals]) add(total)
  }
  return totals
}

/** Two facts each; every record has a time of its own. */
async function appendKept(store: KeptStore, records: number): Promise<void> {
  for (let n = 0; n < records; n += 1) {
    store.clock.now += 1
    await store.append(keptSubmission())
  }
}

describe.skipIf('why' in server)('a mirror of a record whose oldest numbers are gone', () => {
  closeKeptStores()

  it('starts with the oldest number', async () => {
    const store = await openKeptStore()
    await appendKept(store, 20)
    await dropPartition(store.connection, 0)
    const pages = await readAll(store, 10)
    expect(pages[0]).toMatchObject({ from: START })
    expect(numbers(pages)).toEqual(range(16, 40))
    expect(pages.flatMap(({ records }) => records.map(({ seq }) => seq))).toEqual([
      17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39,
    ])
  })

  it('throws CursorLostError when facts after its cursor were dropped', async () => {
    const store = await openKeptStore()
    await appendKept(store, 20)
    const page = await store.follow(START, 4)
    if (page === null) throw new Error('the record is empty')
    expect(page.upTo.n).toBe(4)
    await dropPartition(store.connection, 0)
    await expect(store.follow(page.upTo, 10)).rejects.toThrow(CursorLostError)
  })

  it('continues when only facts before its cursor were dropped', async () => {
    const store = await openKeptStore()
    await appendKept(store, 20)
    const page = await store.follow(START, 20)
    if (page === null) throw new Error('the record is empty')
    await dropPartition(store.connection, 0)
    expect(numbers(await readAll(store, 10, page.upTo))).toEqual(range(21, 40))
  })

  it('gets facts about dropped records without their rows', async () => {
    const store = await openKeptStore()
    await store.append(submission())
    await appendKept(store, 8)
    await store.recordAttempt(accepted(1))
    await dropPartition(store.connection, 0)
    const page = await store.follow(START, 100)
    expect(page?.facts.slice(-2)).toMatchObject([
      { kind: 'delivered', seq: 1 },
      { kind: 'decided', seq: 1 },
    ])
    expect(page).toMatchObject({ attempts: [] })
    expect(page?.outcomes.map(({ seq }) => seq)).not.toContain(1)
  })

  it('reads whole batches whose ids were deleted', async () => {
    const store = await openKeptStore()
    await appendKept(store, 12)
    store.clock.now += 49 * HOUR_MS
    await appendKept(store, 3)
    await deleteCommits(store.connection, store.clock.now)
    const pages = await readAll(store, 5)
    expect(numbers(pages)).toEqual(range(1, 30))
    expect(pages.map(({ upTo }) => upTo)).toEqual([
      { n: 6, batch: null },
      { n: 12, batch: null },
      { n: 18, batch: null },
      { n: 24, batch: null },
      { n: 28, batch: expect.any(String) },
      { n: 30, batch: expect.any(String) },
    ])
  })

  it('throws CursorLostError when its batch is older than 48 h, or its cursor has no id where ids are known', async () => {
    const store = await openKeptStore()
    await appendKept(store, 2)
    const page = await store.follow(START, 2)
    if (page === null) throw new Error('the record is empty')
    store.clock.now += 49 * HOUR_MS
    await appendKept(store, 2)
    await deleteCommits(store.connection, store.clock.now)
    await expect(store.follow(page.upTo, 10)).rejects.toThrow(CursorLostError)
    await expect(store.follow({ n: 6, batch: null }, 10)).rejects.toThrow(CursorLostError)
    await expect(store.follow({ n: 9, batch: null }, 10)).rejects.toThrow(CursorLostError)
  })

  it('has the same totals however many pages it reads, and whenever they are summed', async () => {
    const store = await openKeptStore()
    await store.append(submission({ stamp: 'one' }))
    await appendKept(store, 10)
    await store.recordAttempt(accepted(1))
    const whole = applied(await readAll(store, 1000))
    const folded = store.clock.now
    store.clock.now += 49 * HOUR_MS
    await foldTotals(store.connection, folded + 48 * HOUR_MS)
    expect(applied(await readAll(store, 5))).toEqual(whole)

    await appendKept(store, 4)
    await foldTotals(store.connection, store.clock.now)
    await dropPartition(store.connection, 0)
    const expected = new Map(whole).set('error received ', 15).set('error kept no_upstream', 14)
    const pages = await readAll(store, 3)
    expect(applied(pages)).toEqual(expected)
    expect(pages[0]?.base).toMatchObject({ upTo: expect.any(Number) })
    expect(pages.at(-1)?.base).toBeUndefined()
    expect(
      pages.flatMap(({ base }) => base?.totals ?? []).every(({ stamp, journal }) => stamp === null && journal === 0),
    ).toBe(true)
    expect((await store.follow({ n: 23, batch: await batchOf(store, 23) }, 100))?.base).toBeUndefined()
  })

  it('replaces the totals of a mirror that was away while they were summed', async () => {
    const store = await openKeptStore()
    await appendKept(store, 4)
    const first = await store.follow(START, 4)
    if (first === null) throw new Error('the record is empty')
    store.clock.now += 49 * HOUR_MS
    await appendKept(store, 4)
    await foldTotals(store.connection, store.clock.now)
    const rest = await readAll(store, 2, first.upTo)
    expect(rest.map(({ base }) => base?.upTo)).toEqual([8, 8, undefined, undefined, undefined, undefined])
    expect(applied([first, ...rest])).toEqual(applied(await readAll(store, 100)))
    expect(applied(rest).get('error received ')).toBe(8)
  })
})

async function batchOf(store: KeptStore, last: number): Promise<string> {
  const [batch] = await store.column(`SELECT batch FROM waystation.commits WHERE last = ${last}`)
  return String(batch)
}
