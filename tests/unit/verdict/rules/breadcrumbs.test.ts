import { describe, expect, it } from 'vitest'
import { breadcrumbsRule } from '../../../../lib/verdict/rules/breadcrumbs'
import { BEGIN_S, type Came, caseFrom, eventOf } from './sample-evidence'

/** So many breadcrumbs, a second apart, from a second on. */
const trail = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ timestamp: BEGIN_S + from + index, message: `step ${from + index}` }))
const judge = (...came: readonly Came[]) => breadcrumbsRule.judge(caseFrom(...came))
const ofPage = (payload: Record<string, unknown>): Came => ({ body: eventOf(payload), page: 'page-1' })

describe('breadcrumbs', () => {
  it('are a hundred at most, the oldest first', () => {
    expect(judge(eventOf({ breadcrumbs: trail(100) }))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('fail by one that is too many', () => {
    expect(judge(eventOf({ breadcrumbs: trail(101) }))).toEqual({
      verdict: 'fail',
      judged: 1,
      found: 1,
      findings: [
        {
          about: 'Error: boom',
          at: { seq: 1, item: 0, traceId: 'a'.repeat(32), eventId: 'e'.repeat(32) },
          path: 'breadcrumbs',
          actual: '101 breadcrumbs',
          expected: 'at most 100',
        },
      ],
    })
  })

  it('fail where they are older than those before more often than there are scopes', () => {
    const backwards = trail(5).reverse()
    expect(judge(eventOf({ breadcrumbs: { values: backwards } }))).toMatchObject({
      found: 1,
      findings: [
        {
          path: 'breadcrumbs.3.timestamp',
          actual: '1 s before the breadcrumb that precedes it',
          expected: 'the oldest first, in the list of each of 3 scopes',
        },
      ],
    })
  })

  it('are in order scope by scope, as SDK 11.8 merges them: of the process, the isolated, the current', () => {
    const merged = [...trail(2, 20), ...trail(3, 10), ...trail(2)]
    expect(judge(eventOf({ breadcrumbs: merged }))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('are told as a warning where they are too many, for a scope of its own has some beside the hundred', () => {
    expect(breadcrumbsRule.severity).toBe('warning')
  })

  it('keep the newest where an old one on a scope of its own comes last', () => {
    const earlier = ofPage({ breadcrumbs: trail(100), timestamp: BEGIN_S + 100 })
    const merged = [...trail(99, 21), ...trail(1)]
    const later = ofPage({ breadcrumbs: merged, timestamp: BEGIN_S + 130, event_id: 'f'.repeat(32) })
    expect(judge(earlier, later)).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('keep the newest: a full list of a page goes on from its list before', () => {
    const earlier = ofPage({ breadcrumbs: trail(100), timestamp: BEGIN_S + 100 })
    const later = ofPage({ breadcrumbs: trail(100, 20), timestamp: BEGIN_S + 130, event_id: 'f'.repeat(32) })
    expect(judge(earlier, later)).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('fail where a full list of a page ends before its list before did', () => {
    const earlier = ofPage({ breadcrumbs: trail(120).slice(-100), timestamp: BEGIN_S + 120 })
    const later = ofPage({ breadcrumbs: trail(100), timestamp: BEGIN_S + 130, event_id: 'f'.repeat(32) })
    expect(judge(earlier, later)).toMatchObject({
      found: 1,
      findings: [
        {
          at: { eventId: 'f'.repeat(32) },
          actual: 'the newest is 20 s older than one that an earlier event of its page carries',
          expected: 'the newest kept, the oldest dropped',
        },
      ],
    })
  })

  it('are compared in the order in which the errors happened, and with the newest of all before', () => {
    const at = (second: number, from: number, id: string): Came =>
      ofPage({ breadcrumbs: trail(100, from), timestamp: BEGIN_S + second, event_id: id.repeat(32) })
    expect(judge(at(130, 20, 'f'), at(110, 0, 'e'))).toEqual({ verdict: 'pass', judged: 2 })
    expect(judge(at(130, 20, 'a'), at(131, 10, 'b'), at(132, 15, 'c'))).toMatchObject({
      found: 2,
      findings: [{ at: { eventId: 'b'.repeat(32) } }, { at: { eventId: 'c'.repeat(32) } }],
    })
  })

  it('are compared by the newest of each list, wherever it stands', () => {
    const merged = [...trail(99, 21), ...trail(1)]
    const earlier = ofPage({ breadcrumbs: merged, timestamp: BEGIN_S + 120 })
    const later = ofPage({ breadcrumbs: trail(100), timestamp: BEGIN_S + 130, event_id: 'f'.repeat(32) })
    expect(judge(earlier, later)).toMatchObject({
      found: 1,
      findings: [{ actual: expect.stringMatching(/^the newest is 20 s older/) }],
    })
  })

  it('end as late where nothing came between two errors', () => {
    const same = { breadcrumbs: trail(100), timestamp: BEGIN_S + 100 }
    expect(judge(ofPage(same), ofPage({ ...same, event_id: 'f'.repeat(32) }))).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('without a time are in any order', () => {
    const [first, ...rest] = trail(100)
    const timeless = Array.from({ length: 100 }, (_, index) => ({ message: `step ${index}` }))
    const earlier = ofPage({ breadcrumbs: trail(100), timestamp: BEGIN_S + 100 })
    const untold = ofPage({ breadcrumbs: timeless, timestamp: BEGIN_S + 101, event_id: 'f'.repeat(32) })
    expect(judge(earlier, untold)).toEqual({ verdict: 'pass', judged: 2 })
    const gaps = rest.flatMap((crumb, index) => (index % 20 === 0 ? [{ message: 'untold' }, crumb] : [crumb]))
    expect(judge(eventOf({ breadcrumbs: [first, ...gaps].slice(0, 100) }))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('cannot be judged where no event carries any', () => {
    const why = 'No error event of an SDK of the JavaScript family carries breadcrumbs.'
    expect(judge(eventOf())).toEqual({ verdict: 'incomplete', why })
  })
})
