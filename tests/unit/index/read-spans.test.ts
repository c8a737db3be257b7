import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readSpan } from '../../../collector/index/traces/read-spans'
import { openForReading } from '../../../collector/runtime/database'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import type { ListFilter } from '../../../lib/wire/list-filter'
import { spanDetailSchema } from '../../../lib/wire/trace'
import { Folder } from './folder'
import { recordOf } from './random-records'
import { type Occurrence, occurrencesIn, shownOf } from './span-occurrences'
import { spanPages } from './span-pages'

const TRACE = 'a'.repeat(32)
const START = 1_795_000_000

let folder: Folder
beforeEach(() => {
  folder = new Folder()
})
afterEach(() => folder.remove())

describe('the pages of the span list', () => {
  const positionOf = (occurrence: Occurrence): string =>
    `${occurrence.source.seq}.${occurrence.source.item}.${occurrence.position} ${occurrence.span.spanId}`
  const FILTERS: readonly ((occurrence: Occurrence) => ListFilter)[] = [
    () => ({}),
    ({ span }) => ({ trace: span.traceId }),
    ({ span }) => ({ service: span.service }),
    ({ span }) => ({ sinceUs: span.startUs }),
    ({ span }) => ({ untilUs: span.startUs + 1, service: span.service }),
    ({ span }) => ({ trace: span.traceId, sinceUs: span.startUs + 1 }),
    ({ span }) => ({ trace: span.traceId, ...(span.segmentId !== null && { segment: span.segmentId }) }),
  ]
  const matchesFilter = ({ span }: Occurrence, { trace, service, sinceUs, untilUs, segment }: ListFilter): boolean =>
    (trace === undefined || span.traceId === trace) &&
    (service === undefined || span.service === service) &&
    (segment === undefined || span.segmentId === segment) &&
    (sinceUs === undefined || span.startUs >= sinceUs) &&
    (untilUs === undefined || span.startUs < untilUs)

  it.each(Array.from({ length: 10 }, (_, index) => index + 1))(
    'have each shown span once, and no other (seed %i)',
    (seed) => {
      const records = folder.fill(50, seed + 7000)
      const shown = [...shownOf(occurrencesIn(records))].sort(
        (a, b) => b.source.seq - a.source.seq || a.source.item - b.source.item || a.position - b.position,
      )
      const [, , some] = shown
      if (some === undefined) throw new Error('nothing was drawn')
      for (const filterFor of FILTERS) {
        const filter = filterFor(some)
        const read = spanPages(folder, filter, 3)
        expect(read.slice(0, -1).every((page) => page.length === 3)).toBe(true)
        expect(read.flat().map(({ seq, item, spanId }) => `${seq}.${item} ${spanId}`)).toEqual(
          shown
            .filter((occurrence) => matchesFilter(occurrence, filter))
            .map((occurrence) => positionOf(occurrence).replace(/\.\d+ /, ' ')),
        )
      }
    },
  )
})

describe('one span', () => {
  function read(traceId: string, spanId: string) {
    const db = openForReading(folder.file('telemetry.db'))
    try {
      db.prepare('ATTACH ? AS spool').run(folder.file('spool.db'))
      const found = readSpan(db, SIZE_LIMITS, traceId, spanId)
      return found === null ? null : spanDetailSchema.parse(found)
    } finally {
      db.close()
    }
  }

  it('is found by its ids, as its trace shows it', () => {
    const records = folder.fill(40, 11)
    for (const { span, source } of shownOf(occurrencesIn(records)))
      expect(read(span.traceId, span.spanId)?.span).toMatchObject({
        traceId: span.traceId,
        spanId: span.spanId,
        endUs: span.endUs,
        seq: source.seq,
        item: source.item,
      })
  })

  it('comes with the present names of its deprecated attributes', () => {
    const value = { value: 'x', type: 'string' }
    const attributes = { 'http.method': value, 'ai.citations': value, 'url.full': value, own: value }
    const items = [{ trace_id: TRACE, span_id: '1'.repeat(16), start_timestamp: START, attributes }]
    folder.take([recordOf(`{}\n{"type":"span"}\n${JSON.stringify({ items })}`, 1, 'tunnel')])
    expect(read(TRACE, '1'.repeat(16))?.deprecated).toEqual({
      'http.method': 'http.request.method',
      'ai.citations': null,
    })
  })

  it('is not found where its bytes match across two other ids', () => {
    const ids = ['00000000000000aa', 'bb00000000000000']
    const items = ids.map((span_id) => ({ trace_id: TRACE, span_id, start_timestamp: START }))
    folder.take([recordOf(`{}\n{"type":"span"}\n${JSON.stringify({ items })}`, 1, 'tunnel')])
    expect(read(TRACE, '000000000000aabb')).toBeNull()
    expect(read(TRACE, ids[1] ?? '')).not.toBeNull()
    expect(read('b'.repeat(32), ids[0] ?? '')).toBeNull()
  })
})
