import { expect, it } from 'vitest'
import { segmentIds } from '../../../lib/otlp/assign-segments'
import { readSpans } from '../../../lib/otlp/spans'
import { SPAN, SPAN_ID, tracesRequest } from './requests'

const idOf = (digit: number): string => String(digit).repeat(16)

/** A child span of kind internal. */
const child = (id: number, parentSpanId: string) => ({ ...SPAN, spanId: idOf(id), parentSpanId, kind: 1 })

/** The segment of each span by its id. */
function segmentsOf(...spans: readonly object[]): Readonly<Record<string, string | null>> {
  const read = readSpans(tracesRequest(...spans), 100).spans.map(({ span }) => span)
  return Object.fromEntries([...segmentIds(read)].map(([span, segment]) => [span.spanId, segment]))
}

it('assigns descendants to their segment in any order', () => {
  // SPAN (server)
  // └─ 1
  //    └─ 2
  const segments = segmentsOf(child(2, idOf(1)), child(1, SPAN_ID), SPAN)
  expect(segments).toEqual({ [idOf(2)]: SPAN_ID, [idOf(1)]: SPAN_ID, [SPAN_ID]: SPAN_ID })
})

it('assigns none where an ancestor is missing', () => {
  expect(segmentsOf(child(2, idOf(1)), SPAN)).toEqual({ [idOf(2)]: null, [SPAN_ID]: SPAN_ID })
})

it('ends at a cycle of parents', () => {
  expect(segmentsOf(child(1, idOf(2)), child(2, idOf(1)))).toEqual({ [idOf(1)]: null, [idOf(2)]: null })
})

it('keeps traces with equal span ids apart', () => {
  const other = { ...child(1, SPAN_ID), traceId: '0af7651916cd43dd8448eb211c80319c' }
  expect(segmentsOf(SPAN, other)).toEqual({ [SPAN_ID]: SPAN_ID, [idOf(1)]: null })
})
