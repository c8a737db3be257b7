import { describe, expect, it } from 'vitest'
import type { TraceData } from '../../../dashboards/traces/trace-data'
import { TraceReader } from '../../../dashboards/traces/trace-reader'
import type { JournalFact } from '../../../lib/wire/journal'
import type { Segment, TraceSummary } from '../../../lib/wire/trace'
import type {
  TraceColumnsOptions,
  TraceEnd,
  TraceLists,
  TracePiece,
  TraceSpan,
  TraceSubmission,
} from '../../../lib/wire/trace-columns'

const TRACE = 'a'.repeat(32)

const span = (spanId: string, of: Partial<TraceSpan> = {}): TraceSpan => ({
  ...{ spanId, parentSpanId: null, segmentId: null, isSegment: false, startUs: 1, endUs: 2, service: 'server' },
  ...{ op: null, name: spanId, status: null, httpStatus: null, seq: 1, item: 0 },
  ...of,
})
const segment = (segmentId: string): Segment => ({
  ...{ traceId: TRACE, segmentId, parentSpanId: null, name: segmentId, op: null, status: null, startUs: 1, endUs: 2 },
  ...{ lifecycle: 'stream', service: 'server', environment: null, release: null, sdk: null, spanCount: 1, seq: 1 },
  ...{ item: 0, receivedAt: 0, digestedAt: 0, relayedAt: null, copy: 'no' },
  deliveryStatus: { name: 'kept', reason: null },
})
/** Its journal number is ten times its number. */
const submission = (seq: number, of: Partial<TraceSubmission> = {}): TraceSubmission => ({
  ...{ seq, journal: seq * 10, receivedAt: 0, page: null, copy: false, bytes: 0, relayedAt: null },
  ...{ deliveries: 0, lastDelivery: null, deliveryStatus: { name: 'kept', reason: null } },
  ...of,
})
const head = (spanCount: number, lists: TraceLists = {}): TracePiece => ({
  kind: 'head',
  summary: { traceId: TRACE, spanCount } as TraceSummary,
  lists: { segments: [], submissions: [submission(1)], errors: [], breadcrumbs: [], ...lists },
})
const spans = (...all: readonly TraceSpan[]): TracePiece => ({ kind: 'spans', spans: all })
const end = (journal: number, of: Partial<TraceEnd> = {}): TracePiece => ({
  kind: 'end',
  end: { journal, gaps: [], spans: 0, dropped: { attributes: 0, events: 0, links: 0 }, ...of },
})
const fact = (kind: JournalFact['kind'], seq: number | null, traces?: JournalFact['traces']): JournalFact => ({
  ...{ n: 1, at: 0, kind, seq },
  ...(traces !== undefined && { traces }),
})

/** A reader whose requests are answered in order, and what it showed. @param during runs before each piece */
function readerOf(answers: readonly (readonly TracePiece[])[], during: (piece: TracePiece) => void = () => undefined) {
  const requests: TraceColumnsOptions[] = []
  const shown: (TraceData | null)[] = []
  let clock = 0
  const reader = new TraceReader(TRACE, {
    pieces: async function* (options) {
      requests.push(options)
      for (const piece of answers[requests.length - 1] ?? []) {
        during(piece)
        yield piece
      }
    },
    show: (trace) => shown.push(trace),
    now: () => clock,
  })
  return {
    reader,
    requests,
    shown,
    last: () => shown.at(-1),
    ids: () => shown.at(-1)?.spans.map(({ spanId }) => spanId),
    pass: (ms: number) => {
      clock += ms
    },
  }
}

describe('a trace that is read', () => {
  it('shows its first spans at once, further ones every 100 ms, and all at the end', async () => {
    const made = readerOf(
      [[head(4), spans(span('a')), spans(span('b')), spans(span('c')), spans(span('d')), end(10)]],
      (piece) => {
        if (piece.kind === 'spans') made.pass(piece.spans[0]?.spanId === 'c' ? 100 : 0)
      },
    )
    await made.reader.read()
    expect(made.shown.map((one) => [one?.received, one?.expected, one?.isWhole])).toEqual([
      [1, 4, false],
      [3, 4, false],
      [4, 4, true],
    ])
  })

  it('rests four times as long as the page took to render', async () => {
    const made = readerOf([[head(4), spans(span('a')), spans(span('b')), spans(span('c')), end(10)]], (piece) => {
      if (piece.kind === 'spans') made.pass(80)
    })
    await made.reader.read()
    expect(made.shown.map((one) => one?.received)).toEqual([1, 3])
  })

  it('is null when it is not stored, and is read as a whole the next time', async () => {
    const { reader, shown, requests } = readerOf([[], [head(1), spans(span('a')), end(10)]])
    await reader.read()
    expect(shown).toEqual([null])
    await reader.read()
    expect(requests).toEqual([{}, {}])
  })

  it('reads only what came later the next time, and keeps what did not change', async () => {
    const { reader, shown, requests, ids } = readerOf([
      [head(1, { segments: [segment('a')] }), spans(span('a')), end(10)],
      [head(1, { segments: [segment('a')] }), end(10)],
      [
        head(2, { segments: [segment('a')], submissions: [submission(2), submission(1)] }),
        spans(span('b', { seq: 2 })),
        end(20),
      ],
    ])
    for (const _ of [1, 2, 3]) await reader.read()
    expect(requests).toEqual([{}, { after: 10 }, { after: 10 }])
    const [, first, second, third] = shown
    for (const list of ['spans', 'segments', 'submissions', 'errors', 'breadcrumbs', 'summary'] as const)
      expect(second?.[list]).toBe(first?.[list])
    expect(third?.segments).toBe(first?.segments)
    expect(third?.submissions).not.toBe(first?.submissions)
    expect([ids(), third?.journal]).toEqual([['a', 'b'], 20])
  })

  it('replaces a span that was sent again by the later end, and never by a copy', async () => {
    const submissions = [submission(3, { copy: true }), submission(2), submission(1)]
    const { reader, last } = readerOf([
      [head(2), spans(span('a', { endUs: 5 }), span('b', { endUs: 5 })), end(10)],
      [
        head(2, { submissions }),
        spans(span('a', { endUs: 4, seq: 2 }), span('b', { endUs: 6, seq: 2 }), span('a', { endUs: 9, seq: 3 })),
        end(30),
      ],
    ])
    await reader.read()
    await reader.read()
    expect(last()?.spans.map(({ spanId, seq }) => [spanId, seq])).toEqual([
      ['a', 1],
      ['b', 2],
    ])
  })

  it.each([
    ['one of its submissions was evicted', [submission(3)]],
    ['a submission was digested after later ones', [submission(2, { journal: 15 }), submission(3), submission(1)]],
  ])('is read as a whole when %s', async (_what, submissions) => {
    const { reader, requests, ids, shown } = readerOf([
      [head(2, { submissions: [submission(3), submission(1)] }), spans(span('a'), span('b')), end(30)],
      [head(1, { submissions }), end(30)],
      [head(1, { submissions }), spans(span('b')), end(30)],
    ])
    await reader.read()
    await reader.read()
    expect(requests).toEqual([{}, { after: 30 }, {}])
    expect(ids()).toEqual(['b'])
    // The old rows stay until the new ones are whole.
    expect(shown.map((one) => one?.received)).toEqual([2, 2, 1])
  })

  it('stays as it is when it was cleared', async () => {
    const { reader, ids } = readerOf([[head(1), spans(span('a')), end(10)], []])
    await reader.read()
    await reader.read()
    expect(ids()).toEqual(['a'])
  })

  it('beyond the limit shows the own span of each segment, and its spans when it is opened, also after it was read again', async () => {
    const gaps = [{ of: 'spans', missing: 3, limit: 1 }] as const
    const whole = [head(4, { segments: [segment('a'), segment('b')] }), spans(span('a')), end(10, { gaps })]
    const opened = [head(4, { submissions: [] }), spans(span('b', { httpStatus: 200 }), span('b1')), end(10)]
    const { reader, requests, last, ids } = readerOf([
      whole,
      opened,
      [head(4, { submissions: [] }), end(10)],
      whole,
      opened,
    ])
    await reader.read()
    expect([ids(), last()?.received, last()?.gaps]).toEqual([['a', 'b'], 1, gaps])
    await reader.readSegment('b')
    expect([ids(), last()?.gaps]).toEqual([['a', 'b', 'b1'], [{ ...gaps[0], missing: 1 }]])
    await reader.read()
    expect(requests).toEqual([{}, { segment: 'b' }, { after: 10 }, {}, { segment: 'b' }])
    expect(ids()).toEqual(['a', 'b', 'b1'])
  })

  it('adds up the entries that SDKs dropped', async () => {
    const dropped = { attributes: 1, events: 2, links: 3 }
    const { reader, last } = readerOf([
      [head(1), spans(span('a')), end(10, { dropped })],
      [head(1), end(10, { dropped })],
    ])
    await reader.read()
    await reader.read()
    expect(last()?.dropped).toEqual({ attributes: 2, events: 4, links: 6 })
  })
})

describe('a fact of the live stream', () => {
  const opened = async (of: Partial<TraceEnd> = {}) => {
    const { reader } = readerOf([
      [head(1, { submissions: [submission(7), submission(4)] }), spans(span('a')), end(70, of)],
    ])
    await reader.read()
    return reader
  }

  it.each<[string, JournalFact, boolean]>([
    ['digested that names it', fact('digested', 9, ['b', TRACE]), true],
    ['digested that names others', fact('digested', 9, ['b']), false],
    ['digested of too many traces', fact('digested', 9, null), true],
    ['digested without names', fact('digested', 9), true],
    ['delivered of its submission', fact('delivered', 4), true],
    ['delivered of another submission', fact('delivered', 5), false],
    ['decided of its submission', fact('decided', 7), true],
    ['pending of another submission', fact('pending', 3), false],
    ['evicted up to a later submission', fact('evicted', 5), true],
    ['evicted up to an earlier submission', fact('evicted', 3), false],
    ['cleared', fact('cleared', null), true],
    ['received', fact('received', 9), false],
    ['refused', fact('refused', null), false],
    ['changed', fact('changed', null), false],
  ])('%s', async (_what, given, concerns) => {
    expect((await opened()).concerns(given)).toBe(concerns)
  })

  it('about an older submission concerns a trace with more submissions than are named', async () => {
    const reader = await opened({ gaps: [{ of: 'submissions', missing: 2, limit: 2 }] })
    expect([3, 5].map((seq) => reader.concerns(fact('delivered', seq)))).toEqual([true, false])
  })

  it('that names a submission of the answer that is being read calls for one more read', async () => {
    const made = readerOf(
      [
        [head(1), spans(span('a')), end(10)],
        [head(1), end(10)],
      ],
      (piece) => {
        // Before its head, the page does not know that submission 1 belongs to the trace.
        if (piece.kind === 'head' && made.requests.length === 1)
          for (const seq of [1, 2]) expect(made.reader.concerns(fact('delivered', seq))).toBe(false)
      },
    )
    await made.reader.read()
    expect(made.requests).toEqual([{}, { after: 10 }])
  })
})
