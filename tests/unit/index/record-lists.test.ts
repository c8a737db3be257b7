import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEnvelopes } from '../../../collector/index/lists/read-envelopes'
import { readItems } from '../../../collector/index/lists/read-items'
import { readDeliveries } from '../../../collector/spool/read/read-deliveries'
import { readOutcomes, readOutcomesOf } from '../../../collector/spool/read/read-outcomes'
import { DELIVERY_STATUSES, OUTCOMES } from '../../../lib/protocol/outcome'
import type { EnvelopeSummary } from '../../../lib/wire/envelope'
import { READ_BOUNDS, type ReadBounds } from '../../../lib/wire/fill-page'
import type { ListFilter } from '../../../lib/wire/list-filter'
import { NEWEST, readCursor } from '../../../lib/wire/list-paging'
import { accepted, removeFolders } from '../spool/in-process-spool'
import { drawing, drawSubmission, FILTER_VALUES } from './random-signals'
import { pagesOf, RecordedFolder } from './recorded-folder'

const SEEDS = [11, 12]
const RECORDS = 120
const FILTERS = 80
const START = 1_795_000_000_000

afterAll(removeFolders)

const positionOf = (cursor: string | null) => readCursor(cursor) ?? NEWEST
const isBetween = (us: number, { sinceUs = 0, untilUs = Number.MAX_VALUE }: ListFilter): boolean =>
  us >= sinceUs && us < untilUs

describe.each(SEEDS)('for random records, some without rows (seed %i)', (seed) => {
  let clock = START
  const folder = new RecordedFolder(() => clock)
  const draw = drawing(seed)
  const seqs: number[] = []

  beforeAll(async () => {
    for (let n = 0; n < RECORDS; n += 1) {
      clock += 1000
      const { body, given } = drawSubmission(draw, clock)
      const deliveryStatus =
        given.endpoint === 'stream'
          ? 'copy'
          : draw.one([
              'pending',
              'pending',
              { outcome: 'kept', reason: 'no_upstream' },
              { outcome: 'filtered', reason: 'unscrubbed' },
            ] as const)
      const seq = folder.receive(body, { ...given, deliveryStatus })
      seqs.push(seq)
      if (deliveryStatus === 'pending') await attempt(seq)
      if (n % 30 === 20) folder.digest()
    }
    await folder.evict((await folder.spool.settledRecords(RECORDS)).filter(() => draw.below(8) === 0))
    await folder.evictRows(15)
    return () => folder.close()
  })

  async function attempt(seq: number): Promise<void> {
    const upstream = draw.one(['one.test/1', 'two.test/2'])
    const startedAt = clock + draw.below(500)
    const sort = draw.below(5)
    const failed = { status: null, error: 'ECONNREFUSED', decision: null }
    if (sort === 0) return
    if (sort === 1) await folder.deliver(accepted(seq, { ...failed, upstream, startedAt }))
    if (sort === 4) {
      const decision = [{ item: -1, outcome: 'invalid', reason: 'upstream_413' }] as const
      await folder.deliver(accepted(seq, { status: 413, upstream, startedAt, decision }))
    } else if (sort > 1) await folder.deliver(accepted(seq, { upstream, startedAt }))
  }

  /** Some bounds never end a page early, some do. */
  const bounds = (): ReadBounds =>
    draw.one([READ_BOUNDS, { ...READ_BOUNDS, rows: 1 + draw.below(20), entries: 1 + draw.below(20) }])
  const page = () => ({ limit: 1 + draw.below(20) })
  const some = (filter: ListFilter): ListFilter =>
    Object.fromEntries(Object.entries(filter).filter(() => draw.below(4) === 0)) as ListFilter
  const times = (): ListFilter => ({
    sinceUs: (START + draw.below(60) * 1000) * 1000,
    untilUs: (START + (60 + draw.below(60)) * 1000) * 1000,
  })

  it('envelopes equal those of a plain filter, in the same order', () => {
    const read = (filter: ListFilter) =>
      pagesOf((cursor) => readEnvelopes(folder.db, filter, positionOf(cursor), page(), bounds())).flatMap(
        (one) => one.envelopes,
      )
    const all = read({})
    expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).sort((one, other) => other - one))
    expect(new Set(all.map(({ digest }) => digest))).toEqual(new Set(['pending', 'digested', 'evicted']))
    expect(new Set(all.map(({ deliveryStatus }) => deliveryStatus.name))).toEqual(
      new Set(['pending', 'kept', 'filtered', 'copy', 'accepted', 'invalid']),
    )
    const inTrace = folder.db.prepare('SELECT 1 FROM trace_records WHERE seq = ? AND trace_id = ?')
    const items = folder.db.prepare('SELECT 1 FROM items WHERE seq = ? AND trace_id = ?')
    const ofTrace = ({ seq, traceId }: EnvelopeSummary, trace: string): boolean =>
      traceId === trace || [inTrace, items].some((index) => index.get(seq, trace) !== undefined)
    const keeps = (row: EnvelopeSummary, filter: ListFilter): boolean =>
      (['endpoint', 'environment', 'stamp'] as const).every(
        (name) => filter[name] === undefined || filter[name] === row[name],
      ) &&
      (filter.sdk === undefined ||
        ` ${row.sdk}`
          .split(/(?=[ .])/)
          .some((_, at, parts) => parts.slice(at).join('').slice(1).startsWith(`${filter.sdk}`))) &&
      (filter.type === undefined || row.items.some(({ type }) => type === filter.type)) &&
      (filter.deliveryStatus === undefined || row.deliveryStatus.name === filter.deliveryStatus) &&
      (filter.trace === undefined || ofTrace(row, filter.trace)) &&
      isBetween(row.receivedAt * 1000, filter)
    let found = 0
    for (let n = 0; n < FILTERS; n += 1) {
      const filter = some({
        type: draw.one(['event', 'log', 'transaction', 'profile']),
        endpoint: draw.one(['envelope', 'tunnel', 'stream', 'store'] as const),
        deliveryStatus: draw.one(DELIVERY_STATUSES),
        environment: draw.one(FILTER_VALUES.environment),
        sdk: draw.one(['sentry.python', 'python', 'javascript.browser', 'sentry', 'avascript', 'none']),
        stamp: draw.one(FILTER_VALUES.stamp),
        trace: draw.one(FILTER_VALUES.trace),
        ...times(),
      })
      const rows = read(filter)
      expect([filter, rows]).toEqual([filter, all.filter((row) => keeps(row, filter))])
      found += rows.length
    }
    expect(found).toBeGreaterThan(FILTERS)
  })

  it('copies on record are counted', async () => {
    const copies = folder.db.prepare("SELECT count(*) FROM spool.submissions WHERE endpoint = 'stream'").pluck().get()
    expect((await folder.spool.usage()).copies).toBe(copies)
  })

  it('deliveries equal those of a plain filter', () => {
    const read = (filter: ListFilter) =>
      pagesOf((cursor) => readDeliveries(folder.db, filter, positionOf(cursor), page(), bounds())).flatMap(
        (one) => one.deliveries,
      )
    const all = read({})
    expect(all.length).toBeGreaterThan(20)
    for (let n = 0; n < FILTERS; n += 1) {
      const filter = some({
        answer: draw.one([200, 413, 500, null]),
        not: [{ answer: draw.one([200, 413, null]) }],
        upstream: draw.one(['one.test/1', 'two.test/2', 'three.test/3']),
        envelope: draw.one(seqs),
        ...times(),
      })
      const kept = all.filter(
        (row) =>
          (filter.answer === undefined || filter.answer === row.status) &&
          (filter.not ?? []).every(({ answer }) => answer !== row.status) &&
          (filter.upstream === undefined || filter.upstream === row.upstream) &&
          (filter.envelope === undefined || filter.envelope === row.seq) &&
          isBetween(row.startedAt * 1000, filter),
      )
      expect([filter, read(filter)]).toEqual([filter, kept])
    }
  })

  it('outcomes equal those of a plain filter, also for one envelope', () => {
    const read = (filter: ListFilter) =>
      pagesOf((cursor) => readOutcomes(folder.db, filter, positionOf(cursor), page(), bounds())).flatMap(
        (one) => one.outcomes,
      )
    const all = read({})
    expect(all.length).toBeGreaterThan(20)
    for (let n = 0; n < FILTERS; n += 1) {
      const filter = some({
        outcome: draw.one(OUTCOMES),
        reason: draw.one(['no_upstream', 'unscrubbed', 'upstream_413', 'none']),
        envelope: draw.one(seqs),
        ...times(),
      })
      const kept = all.filter(
        (row) =>
          (filter.outcome === undefined || filter.outcome === row.outcome) &&
          (filter.reason === undefined || filter.reason === row.reason) &&
          (filter.envelope === undefined || filter.envelope === row.seq) &&
          isBetween(row.at * 1000, filter),
      )
      expect([filter, read(filter)]).toEqual([filter, kept])
    }
    for (const seq of seqs) {
      const own = all.filter((row) => row.seq === seq)
      expect(readOutcomesOf(folder.db, seq)?.outcomes ?? []).toEqual([...own].reverse())
    }
  })

  it('items follow a journal number, in whole submissions', () => {
    const read = (filter: { type: string | null; stamp: string | null }) => {
      const items = []
      for (let after = 0; ; ) {
        const { items: more, next } = readItems(folder.db, after, filter, 1 + draw.below(10), {
          ...READ_BOUNDS,
          entries: draw.one([1, 2, 3, READ_BOUNDS.entries]),
        })
        expect(more.every(({ journal }) => journal > after && journal <= next)).toBe(true)
        items.push(...more)
        if (next === after) return items
        after = next
      }
    }
    const all = read({ type: null, stamp: null })
    expect(all).toHaveLength(Number(folder.db.prepare('SELECT count(*) FROM items').pluck().get()))
    for (const type of [null, 'event', 'log', 'profile'])
      for (const stamp of [null, ...FILTER_VALUES.stamp])
        expect([type, stamp, read({ type, stamp })]).toEqual([
          type,
          stamp,
          all.filter((item) => (type === null || item.type === type) && (stamp === null || item.stamp === stamp)),
        ])
  })
})
