import { describe, expect, it } from 'vitest'
import { judgeArrival } from '../../../../lib/verdict/arrival/judge-arrival'
import type { ExpectedTelemetry } from '../../../../lib/verdict/expectations/expected-telemetry'
import { type Came, eventOf } from '../rules/sample-evidence'
import { arrived, observed, pageSpan } from './observed-test'

const SERVER: Came = { body: eventOf({ platform: 'node' }) }

describe('a browser that ran', () => {
  const gaps = (
    came: readonly Came[],
    { expected = {}, browser = 'a browser ran (chrome)', tests = [] as ReturnType<typeof observed>[] } = {} as {
      expected?: ExpectedTelemetry
      browser?: string | null
      tests?: ReturnType<typeof observed>[]
    },
  ) =>
    judgeArrival({
      ...{ tests, expected, browser, profile: null, endedAt: 0 },
      counts: new Map(),
      evidence: arrived(...came),
    }).gaps

  it('makes the run incomplete if nobody observed its pages and they sent nothing', () => {
    expect(gaps([SERVER])).toEqual([
      "a browser ran (chrome), its pages were not observed, and nothing arrived from them: import test from waystation/playwright, or state expect: { pageloads: { min: 1 } }; if they send nothing, expect: { pages: 'none' }",
    ])
  })

  it('changes nothing if its pages sent something, were observed, or are expected to send nothing', () => {
    expect(gaps([pageSpan('pageload', '/')])).toEqual([])
    expect(gaps([{ ...SERVER, page: 'a' }])).toEqual([])
    expect(gaps([{ ...SERVER, origin: 'http://localhost:3000' }])).toEqual([])
    expect(gaps([SERVER], { tests: [observed()] })).toEqual([])
    expect(gaps([SERVER], { expected: { pages: 'none' } })).toEqual([])
    expect(gaps([SERVER], { expected: { pageloads: { min: 0 } } })).toEqual([])
    expect(gaps([SERVER], { browser: null })).toEqual([])
  })

  it('is looked for even if pageloads of some pages are not expected', () => {
    expect(gaps([SERVER], { expected: { pages: { without: ['/legacy/*'] } } })).toHaveLength(1)
  })
})
