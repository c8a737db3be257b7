import { describe, expect, it } from 'vitest'
import { clockMoves, moveSpans } from '../../../../lib/protocol/trace/clock-skew'
import type { AnalysedSpan } from '../../../../lib/protocol/trace/time-tree'
import { spanOf, timeTreeOf } from './analysed-spans'

const api = { service: 'api' }
const movesOf = (...spans: readonly AnalysedSpan[]) => Object.fromEntries(clockMoves(timeTreeOf(...spans)))
const call = spanOf('call', null, 1000, 2000)

describe('spans of another clock', () => {
  it('are moved to the middle of their parent, with those below them of their service', () => {
    const spans = [call, spanOf('handler', 'call', 100, 700, api), spanOf('query', 'handler', 200, 300, api)]
    expect(movesOf(...spans)).toEqual({ handler: 1100, query: 1100 })
  })

  it('are moved to the start of a parent that is shorter', () => {
    expect(movesOf(call, spanOf('handler', 'call', 0, 1500, api))).toEqual({ handler: 1000 })
  })

  it('are compared with their parent as it was moved', () => {
    const spans = [
      call,
      spanOf('handler', 'call', 100, 700, api),
      spanOf('cache', 'handler', 0, 100, { service: 'cache' }),
    ]
    // The cache must lie in the middle of the moved handler: 1200 to 1800.
    expect(movesOf(...spans)).toEqual({ handler: 1100, cache: 1450 })
  })

  it('stay when their clock agrees, also after their parent, in a cycle and in one service', () => {
    expect(movesOf(call, spanOf('handler', 'call', 1100, 5000, api))).toEqual({})
    expect(movesOf(call, spanOf('timer', 'call', 500, 600))).toEqual({})
    expect(movesOf(spanOf('a', 'b', 1, 2), spanOf('b', 'a', 0, 2))).toEqual({})
    expect(movesOf(spanOf('orphan', 'missing', 1, 2, api))).toEqual({})
  })

  it('may be at time 0', () => {
    expect(movesOf(spanOf('call', null, 0, 10), spanOf('handler', 'call', -4, 2, api))).toEqual({ handler: 6 })
  })
})

it('moved spans name their move, and the others are the same objects', () => {
  const handler = spanOf('handler', 'call', 100, 700, api)
  const moved = moveSpans([call, handler], new Map([['handler', 1100]]))
  expect(moved).toEqual([call, { ...handler, startUs: 1200, endUs: 1800, movedUs: 1100 }])
  expect(moved[0]).toBe(call)
})
