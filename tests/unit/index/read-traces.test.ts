import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEvents } from '../../../collector/index/lists/read-events'
import { readSegment, readSegments } from '../../../collector/index/lists/read-segments'
import { readTraces } from '../../../collector/index/lists/read-traces'
import type { ListFilter } from '../../../lib/wire/list-filter'
import { NEWEST, readCursor } from '../../../lib/wire/list-paging'
import type { ListedSegment, TraceSummary } from '../../../lib/wire/trace'
import { removeFolders } from '../spool/in-process-spool'
import { drawing } from './random-signals'
import { drawTraces, VALUES } from './random-traces'
import { pagesOf, RecordedFolder } from './recorded-folder'

const SEEDS = [1, 2, 3, 4]
const RECORDS = 120
const FILTERS = 150
const NAMES = [
  'op',
  'name',
  'status',
  'minDurationUs',
  'maxDurationUs',
  'sinceUs',
  'untilUs',
  'text',
  'environment',
  'release',
  'service',
  'stamp',
] as const
type Name = (typeof NAMES)[number] | 'trace' | 'lifecycle'

afterAll(removeFolders)

const positionOf = (cursor: string | null) => readCursor(cursor) ?? NEWEST

/** True when each prefix starts a word of the texts. */
function says(texts: readonly string[], words: readonly string[] = []): boolean {
  const plain = texts
    .join(' ')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
  return words.every((word) => ` ${plain}`.includes(` ${word}`))
}

const isSame = (filter: unknown, value: unknown): boolean => filter === undefined || filter === value

const isInRange = (startUs: number, durationUs: number, filter: ListFilter): boolean =>
  startUs >= (filter.sinceUs ?? 0) &&
  startUs < (filter.untilUs ?? Number.MAX_VALUE) &&
  durationUs >= (filter.minDurationUs ?? 0) &&
  durationUs <= (filter.maxDurationUs ?? Number.MAX_VALUE)

/** How a sent status is understood. */
const FINE: Readonly<Record<string, string>> = { ok: 'ok', cancelled: 'ok', unset: 'unset' }

describe.each(SEEDS)('for random records (seed %i)', (seed) => {
  const folder = new RecordedFolder()
  const draw = drawing(seed)
  const kept = new Map<number, { readonly stamp: string | null; readonly traces: readonly string[] }>()

  beforeAll(async () => {
    for (let n = 0; n < RECORDS; n += 1) {
      const { body, given } = drawTraces(draw)
      const traces = [...body.matchAll(/"trace_id":"([0-9a-f]{32})"/g)].map(([, id]) => String(id))
      kept.set(await folder.receive(body, given), { stamp: given.stamp ?? null, traces })
      if (n % 40 === 39) folder.digest()
    }
    folder.digest()
    const gone = [...kept.keys()].filter(() => draw.below(5) === 0)
    await folder.evict(gone)
    for (const seq of gone) kept.delete(seq)
    return () => folder.close()
  })

  const page = () => ({ limit: 1 + draw.below(20) })
  const traces = (filter: ListFilter): readonly TraceSummary[] =>
    pagesOf((cursor) => readTraces(folder.db, filter, positionOf(cursor), page())).flatMap((one) => one.traces)
  const segments = (filter: ListFilter): readonly ListedSegment[] =>
    pagesOf((cursor) => readSegments(folder.db, filter, positionOf(cursor), page())).flatMap((one) => one.segments)

  const drawValue = (name: Name, known: readonly string[]): ListFilter => {
    if (name === 'status') return { status: draw.one(['ok', 'error', 'unset'] as const) }
    if (name === 'lifecycle') return { lifecycle: draw.one(['static', 'stream'] as const) }
    if (name === 'trace') return { trace: draw.one(known) }
    if (name === 'sinceUs' || name === 'untilUs') return { [name]: draw.one(VALUES.us) }
    if (name === 'minDurationUs' || name === 'maxDurationUs') return { [name]: draw.one(VALUES.durationUs) }
    return { [name]: draw.one<unknown>(VALUES[name]) }
  }
  const drawFilter = (names: readonly Name[], known: readonly string[]): ListFilter =>
    Object.assign(
      {},
      ...Array.from({ length: 1 + draw.below(3) }, () => drawValue(draw.one(names), known)),
    ) as ListFilter

  it('traces equal those of a plain filter, in the same order', () => {
    const all = traces({})
    const parts = segments({})
    const errors = pagesOf((cursor) => readEvents(folder.db, {}, positionOf(cursor), page())).flatMap(
      (one) => one.events,
    )
    const textsOf = ({ name, traceId }: TraceSummary): readonly string[] => [
      name,
      ...parts.filter((segment) => segment.traceId === traceId).map((segment) => segment.name),
      ...errors.filter((error) => error.traceId === traceId).map((error) => error.title),
    ]
    const stampsOf = ({ traceId }: TraceSummary) =>
      [...kept.values()].filter((record) => record.traces.includes(traceId)).map(({ stamp }) => stamp)
    const keeps = (row: TraceSummary, filter: ListFilter): boolean =>
      (['op', 'name', 'environment', 'release'] as const).every((name) => isSame(filter[name], row[name])) &&
      (isSame(filter.status, row.status ?? 'unset') || (filter.status === 'error' && row.errorCount > 0)) &&
      (filter.service === undefined || row.services.includes(filter.service)) &&
      (filter.stamp === undefined || stampsOf(row).includes(filter.stamp)) &&
      isInRange(row.startUs, row.durationUs, filter) &&
      says(textsOf(row), filter.text)
    const used = new Set<string>()
    for (let n = 0; n < FILTERS; n += 1) {
      const filter = drawFilter(NAMES, [])
      const rows = traces(filter)
      expect([filter, rows]).toEqual([filter, all.filter((row) => keeps(row, filter))])
      if (rows.length > 0 && rows.length < all.length) for (const name of Object.keys(filter)) used.add(name)
    }
    expect([...used].sort()).toEqual([...NAMES].sort())
  })

  it('segments equal those of a plain filter, and each is found by its ids', () => {
    const all = segments({})
    const ids = [...new Set(all.map(({ traceId }) => traceId))]
    const keeps = (row: ListedSegment, filter: ListFilter): boolean =>
      (['op', 'name', 'environment', 'release', 'service', 'lifecycle'] as const).every((name) =>
        isSame(filter[name], row[name]),
      ) &&
      isSame(filter.trace, row.traceId) &&
      isSame(filter.status, row.status === null ? 'unset' : (FINE[row.status] ?? 'error')) &&
      isSame(filter.stamp, kept.get(row.seq)?.stamp) &&
      isInRange(row.startUs, row.endUs - row.startUs, filter) &&
      says([row.name], filter.text)
    const used = new Set<string>()
    const names = [...NAMES, 'trace', 'lifecycle'] as const
    for (let n = 0; n < FILTERS; n += 1) {
      const filter = drawFilter(names, ids)
      const rows = segments(filter)
      expect([filter, rows]).toEqual([filter, all.filter((row) => keeps(row, filter))])
      if (rows.length > 0 && rows.length < all.length) for (const name of Object.keys(filter)) used.add(name)
    }
    expect([...used].sort()).toEqual([...names].sort())
    for (const row of all) expect(readSegment(folder.db, row.traceId, row.segmentId)?.segment).toEqual(row)
  })

  it('lists are newest first, with each row once', () => {
    const [inTraces, inSegments] = [traces({}), segments({})]
    const falls = (journals: readonly number[]) => journals.every((one, index) => one <= (journals[index - 1] ?? one))
    expect(falls(inTraces.map(({ journal }) => journal))).toBe(true)
    expect(falls(inSegments.map(({ journal }) => journal))).toBe(true)
    expect(new Set(inTraces.map(({ traceId }) => traceId)).size).toBe(inTraces.length)
    expect(new Set(inSegments.map(({ traceId, segmentId }) => `${traceId}/${segmentId}`)).size).toBe(inSegments.length)
  })
})
