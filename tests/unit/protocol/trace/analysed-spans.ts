import { buildSpanTree } from '../../../../lib/protocol/trace/span-tree'
import { type AnalysedSpan, type TimeTree, timeTree } from '../../../../lib/protocol/trace/time-tree'
import { seededRandom } from '../seeded-random'

/** A span from its id, the id of its parent, its start and end in µs; by default without op, named like its id. */
export const spanOf = (
  spanId: string,
  parentSpanId: string | null,
  startUs: number,
  endUs: number,
  more: Partial<AnalysedSpan> = {},
): AnalysedSpan => ({
  spanId,
  parentSpanId,
  startUs,
  endUs,
  service: 'server',
  op: null,
  name: spanId,
  status: null,
  ...more,
})

export const timeTreeOf = (...spans: readonly AnalysedSpan[]): TimeTree<AnalysedSpan> =>
  timeTree(buildSpanTree(spans).roots)

/** Spans below random parents at random whole times, some outside their parents and some without duration. */
export function randomSpans(seed: number, count: number): readonly AnalysedSpan[] {
  const random = seededRandom(seed)
  const below = (most: number): number => Math.floor(random() * most)
  return Array.from({ length: count }, (_, index) => {
    const startUs = index === 0 ? 0 : below(1000)
    const parent = index === 0 || random() < 0.02 ? null : `s${below(index)}`
    const endUs = index === 0 ? 1000 : startUs + below(random() < 0.5 ? 20 : 400)
    return spanOf(`s${index}`, parent, startUs, endUs, {
      service: `service ${below(3)}`,
      op: ['db', 'http.client', null][below(3)] ?? null,
      name: `call ${below(50)}`,
    })
  })
}
