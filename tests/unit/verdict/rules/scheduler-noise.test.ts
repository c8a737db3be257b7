import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseRecord } from '../../../../lib/protocol/record'
import type { Evidence } from '../../../../lib/verdict/evidence/evidence'
import { readEvidence } from '../../../../lib/verdict/evidence/read-evidence'
import { clockSkewRule } from '../../../../lib/verdict/rules/clock-skew'
import { idleTimeoutRule } from '../../../../lib/verdict/rules/idle-timeout'
import { valueIn } from '../../value-in'
import { BEGIN_S, caseOf, containerOf, decodeSubmission, drawn, evidenceOf, transactionOf } from './sample-evidence'
import { withNoise } from './scheduler-noise'

const FOLDER = new URL('../../../fixtures/envelopes/', import.meta.url)

function recorded(name: string): Evidence {
  const body = readFileSync(new URL(`${name}.envelope`, FOLDER))
  const record = valueIn(parseRecord('tunnel', body))
  return readEvidence([decodeSubmission({ body, receivedAt: Date.parse(String(record.header.sent_at)) + 20 })])
}

/** A page, its call, and the server's answer. */
const sent = (afterMs: number) => ({ header: { sent_at: new Date(BEGIN_S * 1000 + afterMs).toISOString() } })
const page = drawn(`
  pageload /cart           =======
    browser.request /      =
    http.client GET /api     =====
    resource.script a.js      ==
`)
const ACROSS = evidenceOf(
  transactionOf(page, sent(900)),
  containerOf(drawn('http.server GET /api  ==='), {
    ...sent(950),
    service: 'server',
    ids: '5',
    parentSpanId: '0000000000000003',
    aheadMs: 250,
  }),
)

const RECORDED: readonly Evidence[] = [
  ...[
    'browser-11-plain-pageload-spans',
    'browser-11.8-pageload-spans',
    'browser-11.8-navigation-spans',
    'browser-11.8-static-pageload',
    'browser-11.8-static-navigation',
    'browser-7.80-pageload',
    'server-11.8-page-spans',
    'server-11.8-outgoing-call-spans',
    'browser-11.8-error-with-attachments',
  ].map(recorded),
  ACROSS,
]
const evidenceFor = (seed: number): Evidence => RECORDED[seed % RECORDED.length] ?? ACROSS
const seeds = (count: number): readonly number[] => Array.from({ length: count }, (_, seed) => seed)

describe.each([
  ['idle-timeout', idleTimeoutRule],
  ['clock-skew', clockSkewRule],
])('the %s rule', (_, rule) => {
  it('finds nothing in 5,000 recordings with late timers, pauses and rounded clocks', () => {
    let judged = 0
    const failed = seeds(5_000).filter((seed) => {
      const { verdict } = rule.judge(caseOf({ evidence: withNoise(evidenceFor(seed), seed) }))
      if (verdict !== 'incomplete') judged += 1
      return verdict === 'fail'
    })
    expect(failed).toEqual([])
    expect(judged).toBeGreaterThan(2_500)
  })
})

describe('with the same noise', () => {
  it.each([
    ['an hour ahead', 3600],
    ['an hour behind', -3600],
    ['half an hour ahead', 1800],
    ['half an hour behind', -1800],
  ])('the clock of a browser or server that is %s fails a check', (_, seconds) => {
    const passed = seeds(1_000).filter((seed) => {
      const evidence = evidenceFor(seed)
      const service = evidence.spans[0]?.service ?? evidence.events[0]?.service ?? 'browser'
      const verdict = clockSkewRule.judge(
        caseOf({ evidence: withNoise(evidence, seed, { service, aheadMs: seconds * 1000 }) }),
      )
      return verdict.verdict !== 'fail' || verdict.findings.every(({ isMinor }) => isMinor)
    })
    expect(passed).toEqual([])
  })

  it('a page load that ends 2 s after its last child is found', () => {
    const [segment, ...children] = page
    if (segment === undefined) throw new TypeError('the drawing has no segment')
    const late = evidenceOf(transactionOf([{ ...segment, endMs: segment.endMs + 2_000 }, ...children]))
    const passed = seeds(500).filter(
      (seed) => idleTimeoutRule.judge(caseOf({ evidence: withNoise(late, seed) })).verdict !== 'fail',
    )
    expect(passed).toEqual([])
  })
})
