import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { MOST_ON_PAGE, useAnalysis } from '../../../dashboards/traces/use-analysis'
import { spanIn, traceOf } from './drawn-trace'

/** Renders the first frame of a trace with this many spans. */
function firstFrame(count: number): string {
  const spans = Array.from({ length: count }, (_, at) =>
    spanIn(`s${at}`, {
      parentSpanId: at === 0 ? null : 's0',
      name: 'query',
      startUs: at,
      endUs: at === 0 ? count : at + 1,
    }),
  )
  const trace = traceOf({ spans, isWhole: true, summary: { durationUs: count } })
  function Frame() {
    const { tree, groups, path } = useAnalysis(trace)
    return `${tree.nodes.length} spans, ${groups.size} parents with groups, path of ${path?.rootId ?? 'none'}`
  }
  return renderToString(<Frame />)
}

it('the first frame of a trace of 5,000 spans has its groups and its critical path', () => {
  expect(MOST_ON_PAGE).toBe(5000)
  expect(firstFrame(5000)).toBe('5000 spans, 1 parents with groups, path of s0')
})

it('the first frame of a larger trace has only its spans', () => {
  expect(firstFrame(5001)).toBe('5001 spans, 0 parents with groups, path of none')
})
