import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_GATHERED_CHARACTERS } from '../../../collector/index/traces/read-trace'
import { planTrace, serializeSpan, TraceSpans } from '../../../collector/index/traces/trace-spans'
import { openForReading } from '../../../collector/runtime/database'
import type { SubmissionRow } from '../../../collector/spool/read/read-submissions'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import { MOST_ROWS } from '../../../lib/protocol/traversal/traverse-envelope'
import type { Span } from '../../../lib/wire/trace'
import { seededRandom } from '../protocol/seeded-random'
import { Folder } from './folder'
import { recordOf } from './random-records'
import { readWholeTrace } from './read-whole-trace'
import { type Occurrence, occurrencesIn, shownOf } from './span-occurrences'
import { container, id, microsAt, TRACE } from './span-records'

let folder: Folder
beforeEach(() => {
  folder = new Folder()
})
afterEach(() => folder.remove())

const describeSpan = (span: Pick<Span, 'spanId' | 'seq' | 'item'>): string =>
  `${span.spanId} of ${span.seq}.${span.item}`
const byStart = (a: Occurrence, b: Occurrence): number =>
  a.span.startUs - b.span.startUs ||
  a.source.seq - b.source.seq ||
  a.source.item - b.source.item ||
  a.position - b.position

/** Counts the spans of a segment; in a record with a span twice, its first occurrence counts. */
function spansOf(records: readonly SubmissionRow[], traceId: string, segmentId: unknown): number {
  const spans = records.flatMap((record) => {
    const first = new Map<string, string | null>()
    for (const { span } of occurrencesIn([record]))
      if (span.traceId === traceId && !first.has(span.spanId)) first.set(span.spanId, span.segmentId)
    return [...first].filter(([, segment]) => segment === segmentId).map(([spanId]) => spanId)
  })
  return new Set(spans).size
}

describe('a span that several records contain', () => {
  //  record            0    1    2    3 … 9 s
  //  1  path    a      [─────────]
  //             b      [─────────────────]
  //  2  copy    a      [─────────────────]
  //  3  path    a      [──────────────]
  //             c      [────]
  //  4  path    c      [────]
  it('is shown once: relayed before copies, then the later end, then the later receipt', () => {
    folder.take([
      container(1, [
        { span: 1, to: 2 },
        { span: 2, to: 4 },
      ]),
      container(2, [{ span: 1, to: 9 }], 'stream'),
      container(3, [
        { span: 1, to: 3 },
        { span: 3, to: 1 },
      ]),
      container(4, [{ span: 3, to: 1 }]),
    ])
    const trace = readWholeTrace(folder, TRACE)
    expect(trace?.spans.map(describeSpan)).toEqual([`${id(2)} of 1.0`, `${id(1)} of 3.0`, `${id(3)} of 4.0`])
    expect(trace?.summary).toMatchObject({ spanCount: 3, copy: 'also' })
  })

  it('is shown from the remaining records after an eviction', () => {
    folder.take([container(1, [{ span: 1, to: 9 }]), container(2, [{ span: 1, to: 2 }])])
    expect(readWholeTrace(folder, TRACE)?.spans.map(describeSpan)).toEqual([`${id(1)} of 1.0`])
    folder.evict([1])
    expect(readWholeTrace(folder, TRACE)?.spans.map(describeSpan)).toEqual([`${id(1)} of 2.0`])
    folder.evict([2])
    expect(readWholeTrace(folder, TRACE)).toBeNull()
  })

  it('counts once in its segment', () => {
    const twice = [
      { span: 1, segment: 1 },
      { span: 2, segment: 1 },
      { span: 3, segment: 1 },
    ]
    folder.take([container(1, twice.slice(0, 2)), container(2, twice), container(3, [{ span: 9 }])])
    const trace = readWholeTrace(folder, TRACE)
    expect(trace?.segments.map(({ segmentId, spanCount }) => [segmentId, spanCount])).toEqual([[id(1), 3]])
    expect(trace?.summary.spanCount).toBe(4)
  })

  it('is shown once when one record contains it twice', () => {
    folder.take([
      container(1, [
        { span: 1, to: 2 },
        { span: 1, to: 3 },
      ]),
    ])
    const trace = readWholeTrace(folder, TRACE)
    expect(trace?.spans).toMatchObject([{ endUs: microsAt(3) }])
    expect(trace?.summary.spanCount).toBe(1)
  })
})

describe('reading traces', () => {
  const TRACES = ['a', 'b', 'c'].map((digit) => digit.repeat(32))

  it.each(Array.from({ length: 15 }, (_, index) => index + 1))(
    'shows the spans of the remaining records after any eviction (seed %i)',
    (seed) => {
      const random = seededRandom(seed * 31)
      const records = folder.fill(60, seed + 3000)
      const gone = records.filter(() => random() < 0.4)
      folder.evict(gone.map(({ seq }) => seq))
      const kept = shownOf(occurrencesIn(records.filter((record) => !gone.includes(record))))
      for (const traceId of TRACES) {
        const filter = kept.filter(({ span }) => span.traceId === traceId).sort(byStart)
        const trace = readWholeTrace(folder, traceId)
        expect(trace?.spans.map(describeSpan) ?? []).toEqual(
          filter.map(({ span, source }) => describeSpan({ ...span, seq: source.seq, item: source.item })),
        )
        expect(trace?.summary.spanCount ?? 0).toBe(filter.length)
        const counts = trace?.segments.map(({ segmentId, spanCount }) => [segmentId, spanCount])
        const left = records.filter((record) => !gone.includes(record))
        expect(counts ?? []).toEqual(counts?.map(([segmentId]) => [segmentId, spansOf(left, traceId, segmentId)]) ?? [])
      }
    },
  )

  it('leaves out an unreadable record and stays valid JSON', () => {
    folder.take([container(1, [{ span: 1 }]), container(2, [{ span: 2 }]), container(3, [{ span: 3 }])])
    folder.damageBody(2)
    const trace = readWholeTrace(folder, TRACE)
    expect(trace?.spans.map(({ spanId }) => spanId)).toEqual([id(1), id(3)])
    expect(trace?.summary.spanCount).toBe(3)
  })
})

describe('a trace with megabytes of spans', () => {
  /** A transaction whose span has this many characters. */
  const transaction = (seq: number, letters: number): SubmissionRow => {
    const trace = { trace_id: TRACE, span_id: id(seq), data: { said: 'a'.repeat(letters) } }
    const payload = { start_timestamp: 1_795_000_000 + seq, timestamp: 1_795_000_100, contexts: { trace } }
    return recordOf(`{}\n{"type":"transaction"}\n${JSON.stringify(payload)}`, seq, 'tunnel')
  }

  it('comes in pieces of about a megabyte, with bounded memory', () => {
    const [records, letters] = [45, 1_000_000]
    folder.take(Array.from({ length: records }, (_, n) => transaction(n + 1, letters)))
    const lengths: number[] = []
    const trace = readWholeTrace(folder, TRACE, 100_000, (_, text) => lengths.push(text.length))
    expect(trace?.spans.map(({ seq }) => seq)).toEqual(Array.from({ length: records }, (_, n) => n + 1))
    expect(Math.max(...lengths)).toBeLessThan(2.5 * letters)
    const gathering =
      lengths
        .join(' ')
        .match(/(?:\b0 )+/g)
        ?.map((zeros) => zeros.length / 2) ?? []
    expect(Math.max(...gathering) * letters).toBeLessThan(MAX_GATHERED_CHARACTERS)
  })

  it.each([1, 2, 3])('is the same when spans are read again instead of deferred (seed %i)', (seed) => {
    folder.fill(60, seed + 5000)
    const db = openForReading(folder.file('telemetry.db'))
    db.prepare('ATTACH ? AS spool').run(folder.file('spool.db'))
    const read = (maxDeferred: number | undefined): readonly string[] => {
      const plan = planTrace(db, TRACE, 0)
      expect(plan.recordsPerSpan.size).toBeGreaterThan(0)
      const spans = new TraceSpans(TRACE, plan, SIZE_LIMITS, serializeSpan, maxDeferred)
      const texts: string[] = []
      while (!spans.isDone) texts.push(...spans.next(db).map(({ text }) => text))
      return texts.sort()
    }
    expect(read(0)).toEqual(read(undefined))
    db.close()
  })

  it('has the breadcrumbs of all its errors', () => {
    const error = (seq: number): SubmissionRow =>
      recordOf(
        `{}\n{"type":"event"}\n${JSON.stringify({
          event_id: id(seq).padStart(32, '0'),
          contexts: { trace: { trace_id: TRACE, span_id: id(1) } },
          breadcrumbs: [{ message: `a ${seq}` }, { message: `b ${seq}` }],
        })}`,
        seq,
        'tunnel',
      )
    folder.take(Array.from({ length: 25 }, (_, n) => error(n + 1)))
    expect(readWholeTrace(folder, TRACE)?.breadcrumbs.map(({ message }) => message)).toEqual(
      Array.from({ length: 25 }, (_, n) => [`a ${n + 1}`, `b ${n + 1}`]).flat(),
    )
  })
})

it('a record whose other items use most of its row budget shows the spans that were digested', () => {
  const logs = `{"type":"log"}\n{"items":[${Array.from({ length: MOST_ROWS - 2 }, () => '{}').join(',')}]}\n`
  const { body } = container(1, [{ span: 1 }, { span: 2 }, { span: 3 }])
  folder.take([recordOf(new TextDecoder().decode(body).replace('\n', `\n${logs}`), 1, 'tunnel')])
  const trace = readWholeTrace(folder, TRACE)
  expect(trace?.summary.spanCount).toBe(2)
  expect(trace?.spans.map(({ spanId, item }) => [spanId, item])).toEqual([
    [id(1), 1],
    [id(2), 1],
  ])
})

it('a trace with more spans than requested is cut to the earliest spans', () => {
  folder.take([
    container(1, [
      { span: 1, from: 5, to: 9 },
      { span: 2, from: 0, to: 9 },
    ]),
    container(2, [{ span: 3, from: 1, to: 9 }]),
  ])
  const trace = readWholeTrace(folder, TRACE, 2)
  expect(trace?.spans.map(({ spanId }) => spanId)).toEqual([id(2), id(3)])
  expect(trace?.truncated).toBe(true)
})
