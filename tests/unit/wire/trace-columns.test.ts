import { describe, expect, it } from 'vitest'
import {
  nextTurn,
  readTracePieces,
  replacesSpan,
  SPANS_PER_PIECE,
  SpanEncoder,
  TRACE_COLUMNS_VERSION,
  TraceDecoder,
  type TracePiece,
  type TraceSpan,
} from '../../../lib/wire/trace-columns'

const hex = (n: number): string => n.toString(16).padStart(16, '0')

const spanOf = (n: number, of: Partial<TraceSpan> = {}): TraceSpan => ({
  spanId: hex(n),
  parentSpanId: null,
  segmentId: null,
  isSegment: false,
  startUs: 1_795_000_000_000_000 + n,
  endUs: 1_795_000_000_000_500 + n,
  service: 'server',
  op: 'db',
  name: `SELECT ${n}`,
  status: 'ok',
  httpStatus: null,
  seq: 1,
  item: 0,
  ...of,
})

const HEAD = `{"version":${TRACE_COLUMNS_VERSION},"summary":{},"segments":[]}`
const END = '{"end":{"journal":7,"gaps":[],"spans":1,"dropped":{"attributes":0,"events":0,"links":0}}}'

function begun(): TraceDecoder {
  const decoder = new TraceDecoder()
  decoder.decode(HEAD)
  return decoder
}

function spansIn(piece: TracePiece): readonly TraceSpan[] {
  if (piece.kind !== 'spans') throw new Error(`a piece of ${piece.kind}, not of spans`)
  return piece.spans
}

/** Encodes and decodes pieces of spans with one encoder and one decoder. */
function roundTrip(...pieces: readonly (readonly TraceSpan[])[]): readonly (readonly TraceSpan[])[] {
  const [encoder, decoder] = [new SpanEncoder(), begun()]
  return pieces.map((spans) => spansIn(decoder.decode(encoder.encode(spans))))
}

describe('spans in columns', () => {
  it.each<[string, readonly TraceSpan[]]>([
    ['no span', []],
    [
      'every field',
      [spanOf(1, { parentSpanId: hex(2), segmentId: hex(1), isSegment: true, httpStatus: 404, seq: 9, item: 3 })],
    ],
    [
      'pills and marks of some spans',
      [spanOf(1, { pill: '3 rows' }), spanOf(2, { isOpen: true }), spanOf(3, { isRepeated: true, pill: 'SELECT 3' })],
    ],
    ['every null', [spanOf(1, { op: null, status: null })]],
    [
      'a parent before, after and outside of the piece',
      [
        spanOf(1),
        spanOf(2, { parentSpanId: hex(1) }),
        spanOf(3, { parentSpanId: hex(4) }),
        spanOf(4, { parentSpanId: hex(99) }),
      ],
    ],
    ['a span that is its own parent', [spanOf(1, { parentSpanId: hex(1) })]],
    ['an id twice', [spanOf(1), spanOf(1, { name: 'again' }), spanOf(2, { parentSpanId: hex(1) })]],
    [
      'times in any order, before 1970 and in fractions',
      [
        spanOf(1, { startUs: -5, endUs: 0.5 }),
        spanOf(2, { startUs: -62_135_596_800_000_000, endUs: -62_135_596_800_000_000 }),
        spanOf(3),
      ],
    ],
    [
      'strings of other alphabets, of JSON, and names of object fields',
      ['日本語 🚀', '"\\\n\u2028', '__proto__', 'constructor', '', '\ud800'].map((name, n) =>
        spanOf(n, { name, op: name, service: name, status: name }),
      ),
    ],
    [
      'several sources',
      [spanOf(1, { seq: 1, item: 2 }), spanOf(2, { seq: 2, item: 1 }), spanOf(3, { seq: 1, item: 2 })],
    ],
  ])('keep %s', (_what, spans) => {
    expect(roundTrip(spans)).toEqual([spans])
  })

  it('keep strings of earlier pieces, and ids of each piece', () => {
    const pieces = [
      [spanOf(1), spanOf(2)],
      [spanOf(3, { name: 'SELECT 1', parentSpanId: hex(1) })],
      [spanOf(4, { op: 'new' })],
    ]
    expect(roundTrip(...pieces)).toEqual(pieces)
  })

  it('name each string once, and times as differences', () => {
    const encoder = new SpanEncoder()
    const first = encoder.encode([spanOf(1, { name: 'a' }), spanOf(4, { name: 'a' })])
    expect(JSON.parse(first)).toMatchObject({
      strings: ['server', 'db', 'a', 'ok'],
      start: [1_795_000_000_000_001, 3],
      duration: [500, 0],
    })
    expect(JSON.parse(encoder.encode([spanOf(5, { name: 'a' })])).strings).toEqual([])
  })

  it('begin their strings again instead of remembering more than 50,000', () => {
    const pieces = Array.from({ length: 12 }, (_, piece) =>
      Array.from({ length: SPANS_PER_PIECE }, (_span, n) => spanOf(n, { name: `name ${piece}/${n}` })),
    )
    const encoder = new SpanEncoder()
    const lines = pieces.map((spans) => encoder.encode(spans))
    expect(lines.filter((line) => line.includes('"reset":true'))).toHaveLength(1)
    const decoder = begun()
    expect(lines.map((line) => spansIn(decoder.decode(line)))).toEqual(pieces)
  })

  it('begin their strings again after 4,000,000 characters', () => {
    const encoder = new SpanEncoder()
    encoder.encode([spanOf(1, { name: 'x'.repeat(4_000_001) })])
    expect(JSON.parse(encoder.encode([spanOf(2)]))).toMatchObject({
      reset: true,
      strings: ['server', 'db', 'SELECT 2', 'ok'],
    })
  })
})

describe('the decoder of a trace', () => {
  it.each([
    ['another version', '{"version":1,"summary":{}}', 'have version 1, this page reads 2'],
    ['no version', '{"summary":{}}', 'have version missing, this page reads 2'],
  ])('refuses %s', (_what, line, message) => {
    expect(() => new TraceDecoder().decode(line)).toThrow(message)
  })

  it('tells lists, spans and the end apart', () => {
    const decoder = begun()
    expect(decoder.decode('{"segments":[]}')).toEqual({ kind: 'lists', lists: { segments: [] } })
    expect(decoder.decode(new SpanEncoder().encode([])).kind).toBe('spans')
    expect(decoder.decode(END)).toMatchObject({ kind: 'end', end: { journal: 7 } })
  })
})

describe('an occurrence of a span', () => {
  const copies = new Set([5])
  it.each<[string, Partial<TraceSpan>, Partial<TraceSpan>, boolean]>([
    ['that ends later replaces another', { endUs: 9 }, { endUs: 8 }, true],
    ['that ends earlier does not, though it came later', { endUs: 8, seq: 9 }, { endUs: 9 }, false],
    ['of a later submission replaces one with the same end', { seq: 2 }, { seq: 1 }, true],
    ['of a later item replaces one of the same submission', { item: 1 }, { item: 0 }, true],
    ['does not replace itself', {}, {}, false],
    ['that was relayed replaces a copy, though it ends earlier', { endUs: 1 }, { endUs: 9, seq: 5 }, true],
    ['of a copy does not replace one that was relayed', { endUs: 9, seq: 5 }, { endUs: 1 }, false],
  ])('%s', (_what, one, other, replaces) => {
    expect(replacesSpan(spanOf(1, { endUs: 3, ...one }), spanOf(1, { endUs: 3, ...other }), copies)).toBe(replaces)
  })
})

describe('an answer in pieces', () => {
  const bodyOf = (text: string, chunk: number) => {
    const bytes = new TextEncoder().encode(text)
    let isCancelled = false
    let at = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (at >= bytes.length) return controller.close()
        controller.enqueue(bytes.slice(at, at + chunk))
        at += chunk
      },
      cancel: () => {
        isCancelled = true
      },
    })
    return { body, isCancelled: () => isCancelled }
  }
  const line = new SpanEncoder().encode([spanOf(1, { name: 'ü🚀' })])

  it.each([1, 7, 1000])('is decoded from chunks of %i bytes', async (chunk) => {
    const pieces: TracePiece[] = []
    let pauses = 0
    const pause = async (): Promise<void> => {
      pauses += 1
    }
    for await (const piece of readTracePieces(bodyOf(`${HEAD}\n${line}\n${line}\n${END}\n`, chunk).body, pause))
      pieces.push(piece)
    expect(pieces.map(({ kind }) => kind)).toEqual(['head', 'spans', 'spans', 'end'])
    expect(pieces[1]).toEqual({ kind: 'spans', spans: [spanOf(1, { name: 'ü🚀' })] })
    expect(pauses).toBe(2)
  })

  it('that ends before its last line is an error', async () => {
    const pieces = readTracePieces(bodyOf(`${HEAD}\n${line}\n`, 50).body, nextTurn)
    await expect(
      (async () => {
        for await (const _piece of pieces);
      })(),
    ).rejects.toThrow('ended before its last line')
  })

  it('is cancelled when its reader stops', async () => {
    const { body, isCancelled } = bodyOf(`${HEAD}\n${line}\n${line}\n${END}\n`, 10)
    for await (const piece of readTracePieces(body, nextTurn)) if (piece.kind === 'spans') break
    expect(isCancelled()).toBe(true)
  })
})
