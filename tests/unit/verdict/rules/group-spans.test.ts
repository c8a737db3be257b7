import { describe, expect, it } from 'vitest'
import { pageSegments } from '../../../../lib/verdict/rules/group-spans'
import { heartbeatRule } from '../../../../lib/verdict/rules/heartbeat'
import { idleTimeoutRule } from '../../../../lib/verdict/rules/idle-timeout'
import { notFoundRule } from '../../../../lib/verdict/rules/not-found'
import { orphansRule } from '../../../../lib/verdict/rules/orphans'
import type { TimeRange } from '../../../../lib/verdict/rules/rule'
import { BEGIN_S, caseFrom, caseOf, containerOf, drawn, evidenceOf, transactionOf } from './sample-evidence'

/** A column is a second. Spans that ended in the first ten seconds were sent in a separate container, which is missing. */
const LATER = drawn(
  `
  navigation /checkout            ====================
    http.client GET /api/last     ==
`,
  1000,
)
const ORPHAN = LATER.map((span) => (span.parentId === null ? span : { ...span, parentId: 'd'.repeat(16) }))
const STILL = drawn(
  `
  navigation /checkout            ====================
    http.client GET /api/last     ====================
`,
  1000,
)
const RULES = [
  ['idle-timeout', idleTimeoutRule, LATER],
  ['heartbeat', heartbeatRule, STILL],
  ['orphans', orphansRule, ORPHAN],
] as const
/** Seconds after the start of the navigation, which arrived after 21 s. */
const missing = (from: number, until: number): TimeRange => ({
  from: (BEGIN_S + from) * 1000,
  until: (BEGIN_S + until) * 1000,
})

describe.each(RULES)('%s', (_, rule, spans) => {
  const judge = (bodyOf: typeof containerOf, unseen?: readonly TimeRange[]) =>
    rule.judge(
      caseOf({
        evidence: evidenceOf({ body: bodyOf(spans), receivedAt: (BEGIN_S + 21) * 1000 }),
        ...(unseen !== undefined && { missing: unseen }),
      }),
    ).verdict

  it('checks a complete streamed trace', () => {
    expect(judge(containerOf)).toBe('fail')
  })

  it.each([
    ['older submissions', missing(-BEGIN_S, 5)],
    ['a submission during the trace', missing(10, 10)],
    ['a submission soon after the trace', missing(30, 30)],
  ])('skips a trace that overlaps a missing range: %s', (_of, unseen) => {
    expect(judge(containerOf, [unseen])).toBe('incomplete')
  })

  it.each([
    ['before the trace', missing(-60, -1)],
    ['long after the trace', missing(60, 60)],
  ])('checks a trace if the missing range is %s', (_when, unseen) => {
    expect(judge(containerOf, [unseen])).toBe('fail')
  })

  it('skips a trace that overlaps any of several missing ranges', () => {
    expect(judge(containerOf, [missing(60, 60), missing(10, 10)])).toBe('incomplete')
  })

  it('takes the time range of a trace from all its containers', () => {
    const [segment, child] = spans
    if (segment === undefined || child === undefined) throw new TypeError('the drawing has no child')
    const whole = { body: containerOf(spans), receivedAt: (BEGIN_S + 21) * 1000 }
    const vital = { ...child, spanId: 'f'.repeat(16), op: 'ui.webvital.lcp', parentId: segment.spanId, startMs: 3000 }
    const late = { body: containerOf([segment, vital], { late: true }), receivedAt: (BEGIN_S + 80) * 1000 }
    for (const evidence of [evidenceOf(whole, late), evidenceOf(late, whole)]) {
      expect(rule.judge(caseOf({ evidence, missing: [missing(1, 1)] })).verdict).toBe('incomplete')
      expect(rule.judge(caseOf({ evidence, missing: [missing(90, 90)] })).verdict).toBe('incomplete')
      expect(rule.judge(caseOf({ evidence, missing: [missing(96, 96)] })).verdict).toBe('fail')
    }
  })

  it('checks a transaction, which always arrives whole', () => {
    expect(judge(transactionOf, [missing(-60, 60)])).toBe('fail')
  })
})

it('the idle-timeout rule reports skipped traces if nothing else could be checked', () => {
  const given = caseOf({ evidence: evidenceOf(containerOf(LATER)), missing: [missing(0, 5)] })
  expect(idleTimeoutRule.judge(given)).toEqual({
    verdict: 'incomplete',
    why: 'One was skipped, because parts of the trace may be missing in this record.',
  })
})

const PAGE = drawn(`
  pageload /cart              ========
    http.client GET /a         ====
    http.client GET /b         ====
`)
const sizes = (...bodies: readonly string[]) =>
  pageSegments(evidenceOf(...bodies)).map(({ segment, children }) => [segment.traceId[0], children.length])

describe.each([
  ['a transaction', transactionOf],
  ['a container', containerOf],
])('the page segment of %s', (_, bodyOf) => {
  it('is returned once with its children, even if it was received several times', () => {
    expect(sizes(...Array.from({ length: 3 }, () => bodyOf(PAGE)))).toEqual([['a', 2]])
  })

  it('has no child of another segment', () => {
    const other = bodyOf(PAGE.slice(0, 2), { ids: '9' })
    expect(sizes(bodyOf(PAGE), other)).toEqual([
      ['a', 2],
      ['a', 1],
    ])
  })

  it('has no child of another trace with the same segment id', () => {
    const [segment, child] = PAGE
    if (segment === undefined || child === undefined) throw new TypeError('the drawing has no child')
    const other = bodyOf([segment, child], { traceId: 'c'.repeat(32) })
    expect(sizes(bodyOf(PAGE), other)).toEqual([
      ['a', 2],
      ['c', 1],
    ])
  })
})

it('the not-found rule reports a missing page once if it was received twice', () => {
  const missing = transactionOf(drawn('http.server GET /_not-found  ====='), { service: 'server' })
  expect(notFoundRule.judge(caseFrom(missing, missing))).toMatchObject({ judged: 1, found: 1 })
})
