import { describe, expect, it } from 'vitest'
import { pageSegments } from '../../../../lib/verdict/rules/group-spans'
import { heartbeatRule } from '../../../../lib/verdict/rules/heartbeat'
import { idleTimeoutRule } from '../../../../lib/verdict/rules/idle-timeout'
import { notFoundRule } from '../../../../lib/verdict/rules/not-found'
import { orphansRule } from '../../../../lib/verdict/rules/orphans'
import type { Unseen } from '../../../../lib/verdict/rules/rule'
import { BEGIN_S, caseFrom, caseOf, containerOf, drawn, evidenceOf, transactionOf } from './sample-evidence'

/** A column is a second. What ended in the first ten was sent in a container of its own, which is not here. */
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
/** Seconds after the navigation began; it came 21 s after. */
const missing = (from: number, until: number): Unseen => ({
  from: (BEGIN_S + from) * 1000,
  until: (BEGIN_S + until) * 1000,
})

describe.each(RULES)('%s', (_, rule, spans) => {
  const judge = (told: typeof containerOf, unseen?: readonly Unseen[]) =>
    rule.judge(
      caseOf({
        evidence: evidenceOf({ body: told(spans), receivedAt: (BEGIN_S + 21) * 1000 }),
        ...(unseen !== undefined && { unseen }),
      }),
    ).verdict

  it('judges a streamed trace that is whole', () => {
    expect(judge(containerOf)).toBe('fail')
  })

  it.each([
    ['older submissions', missing(-BEGIN_S, 5)],
    ['one that came while it went on', missing(10, 10)],
    ['one that came right behind it', missing(30, 30)],
  ])('does not judge one of which a part may be in what is not there: %s', (_of, unseen) => {
    expect(judge(containerOf, [unseen])).toBe('incomplete')
  })

  it.each([
    ['before it began', missing(-60, -1)],
    ['long after it was over', missing(60, 60)],
  ])('judges one where what is not there came %s', (_when, unseen) => {
    expect(judge(containerOf, [unseen])).toBe('fail')
  })

  it('does not judge one where any of what is not there may be a part of it', () => {
    expect(judge(containerOf, [missing(60, 60), missing(10, 10)])).toBe('incomplete')
  })

  it('goes by the first that began and the last that came of all its containers', () => {
    const [segment, child] = spans
    if (segment === undefined || child === undefined) throw new TypeError('the drawing has a child')
    const whole = { body: containerOf(spans), receivedAt: (BEGIN_S + 21) * 1000 }
    const vital = { ...child, spanId: 'f'.repeat(16), op: 'ui.webvital.lcp', parentId: segment.spanId, startMs: 3000 }
    const late = { body: containerOf([segment, vital], { late: true }), receivedAt: (BEGIN_S + 80) * 1000 }
    for (const evidence of [evidenceOf(whole, late), evidenceOf(late, whole)]) {
      expect(rule.judge(caseOf({ evidence, unseen: [missing(1, 1)] })).verdict).toBe('incomplete')
      expect(rule.judge(caseOf({ evidence, unseen: [missing(90, 90)] })).verdict).toBe('incomplete')
      expect(rule.judge(caseOf({ evidence, unseen: [missing(96, 96)] })).verdict).toBe('fail')
    }
  })

  it('judges a transaction, which comes whole', () => {
    expect(judge(transactionOf, [missing(-60, 60)])).toBe('fail')
  })
})

it('what is left alone is told where nothing else could be judged', () => {
  const given = caseOf({ evidence: evidenceOf(containerOf(LATER)), unseen: [missing(0, 5)] })
  expect(idleTimeoutRule.judge(given)).toEqual({
    verdict: 'incomplete',
    why: 'One was left alone: a part of the trace may be among what is not judged here.',
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
])('the page segment of %s', (_, told) => {
  it('is one with its children once, however often it came', () => {
    expect(sizes(...Array.from({ length: 3 }, () => told(PAGE)))).toEqual([['a', 2]])
  })

  it('has no child of another segment of its trace', () => {
    const other = told(PAGE.slice(0, 2), { ids: '9' })
    expect(sizes(told(PAGE), other)).toEqual([
      ['a', 2],
      ['a', 1],
    ])
  })

  it('has no child of another trace, whose segment has the same id', () => {
    const [segment, child] = PAGE
    if (segment === undefined || child === undefined) throw new TypeError('the drawing has a child')
    const other = told([segment, child], { traceId: 'c'.repeat(32) })
    expect(sizes(told(PAGE), other)).toEqual([
      ['a', 2],
      ['c', 1],
    ])
  })
})

it('a missing page that came twice is told once', () => {
  const missing = transactionOf(drawn('http.server GET /_not-found  ====='), { service: 'server' })
  expect(notFoundRule.judge(caseFrom(missing, missing))).toMatchObject({ judged: 1, found: 1 })
})
