import { describe, expect, it } from 'vitest'
import {
  bandOf,
  INCOMPLETE_SCORE_NOTE,
  instrumentationScore,
  SCORE_RULES,
  scoreOf,
  WEIGHTS,
} from '../../../../lib/verdict/score/score'
import { scoreReport } from '../../../../lib/verdict/score/score-report'
import { type Came, containerOf, drawn, eventOf, evidenceOf, transactionOf } from '../rules/sample-evidence'
import { CHECKOUT, logsOf, metricsOf, tracesOf } from '../rules/sample-otlp'

const scores = (...came: readonly Came[]) => instrumentationScore({ evidence: evidenceOf(...came) })
const PAGE = drawn(`
  pageload /cart       ======
    cart.total sum       ==
`)

describe('the Instrumentation Score', () => {
  it('computes the worked example of the specification', () => {
    const counts = {
      critical: { passed: 4, of: 8 },
      important: { passed: 8, of: 10 },
      normal: { passed: 6, of: 8 },
      low: { passed: 1, of: 5 },
    }
    expect(scoreOf(counts)).toBe(63.86)
    expect(WEIGHTS).toEqual({ critical: 40, important: 30, normal: 20, low: 10 })
  })

  it('is null without a rule', () => {
    expect(scoreOf({})).toBeNull()
  })

  it.each([
    [100, 'excellent'],
    [90, 'excellent'],
    [89.99, 'good'],
    [75, 'good'],
    [74.99, 'needs improvement'],
    [50, 'needs improvement'],
    [49.99, 'poor'],
    [0, 'poor'],
  ])('names the band of %d: %s', (score, band) => {
    expect(bandOf(score)).toBe(band)
  })

  it('has the 19 rules of the specification with their impacts', () => {
    expect(SCORE_RULES.map(({ id, impact }) => `${id} ${impact}`)).toEqual([
      'RES-001 normal',
      'RES-002 important',
      'RES-003 important',
      'RES-004 important',
      'RES-005 critical',
      'SPA-001 normal',
      'SPA-002 normal',
      'SPA-003 important',
      'SPA-004 important',
      'SPA-005 important',
      'MET-001 important',
      'MET-002 important',
      'MET-003 important',
      'MET-004 normal',
      'MET-005 normal',
      'MET-006 important',
      'LOG-001 important',
      'LOG-002 important',
      'SDK-001 low',
    ])
  })

  it('counts only rules that were judged', () => {
    // Judged: RES-001 fails (20); RES-004, RES-005, SPA-001, SPA-002, SPA-004 and SPA-005 pass (170).
    const [score] = scores(tracesOf([{ spanId: '1' }]))
    expect(score).toMatchObject({ service: 'checkout', passed: 6, failed: 1, notJudged: 12, band: 'good' })
    expect(score?.score).toBe(89.47)
  })

  it('is computed for each service.name, over traces, logs and metrics', () => {
    const other = { ...CHECKOUT, 'service.name': 'cart' }
    const found = scores(
      tracesOf([{ spanId: '1' }]),
      logsOf([{ severity: 9 }]),
      metricsOf([{ name: 'a.b', unit: '1' }], other),
    )
    expect(found.map(({ service }) => service)).toEqual(['cart', 'checkout'])
  })

  it('names services of Sentry by SDK and project, else by service.name', () => {
    const named = containerOf(PAGE, {
      ids: 'f',
      attributes: { '/cart': { 'service.name': 'shop' }, sum: { 'service.name': 'shop' } },
    })
    expect(
      scores(containerOf(PAGE), transactionOf(PAGE, { service: 'server', ids: 'e' }), named).map(
        ({ service }) => service,
      ),
    ).toEqual(['sentry.javascript.nextjs (browser), project 1', 'sentry.javascript.nextjs (server), project 1', 'shop'])
  })

  it('has no service for copies', () => {
    expect(scores({ body: containerOf(PAGE), endpoint: 'stream' })).toEqual([])
  })

  it('has no score for a service that sent only errors', () => {
    expect(scores(eventOf())).toMatchObject([{ score: null, band: null, passed: 0, failed: 0, notJudged: 19 }])
  })
})

describe('the report of the score', () => {
  const report = (...came: readonly Came[]) => scoreReport(scores(...came), { appUrl: null, width: 300 })

  it('lists failed rules with findings, passed rules, and reasons of the others', () => {
    const text = report(tracesOf([{ spanId: '1', kind: 3 }]))
    expect(text).toContain('checkout: 73.68, needs improvement')
    expect(text).toContain('✗ SPA-004 A root span is not of kind CLIENT (important): 1 of 1')
    expect(text).toContain('span 1: a root span of kind CLIENT; expected: a parent, or another kind')
    expect(text).toContain('in envelope 1, item 0')
    expect(text).toContain('✓ RES-005 service.name is present (critical): 1 checked')
    expect(text).toContain('? not judged: SPA-003. The specification names no limit.')
    expect(text).toContain(INCOMPLETE_SCORE_NOTE)
  })

  it('links a finding to its board', () => {
    const text = scoreReport(scores(tracesOf([{ spanId: '1', kind: 3 }])), { appUrl: 'http://localhost:3000' })
    expect(text).toContain(`open http://localhost:3000/traces/${'a'.repeat(32)}?span=0000000000000001`)
  })

  it('says when there is no service and no score', () => {
    expect(report()).toContain('No service sent anything.')
    expect(report(eventOf())).toContain('no score, because no rule could be judged')
  })

  it('contains no secrets', () => {
    const resource = { ...CHECKOUT, 'service.name': 'anna@example.com' }
    expect(report(tracesOf([{ spanId: '1' }], resource))).not.toContain('anna@example.com')
  })
})
