import { describe, expect, it } from 'vitest'
import { breadcrumbsRule } from '../../../../lib/verdict/rules/breadcrumbs'
import { BEGIN_S, type Came, caseFrom, eventOf, failing, failingWith } from './sample-evidence'

/** Breadcrumbs, one per second, from a start second. */
const trail = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ timestamp: BEGIN_S + from + index, message: `step ${from + index}` }))
const judge = (...came: readonly Came[]) => breadcrumbsRule.judge(caseFrom(...came))
const ofPage = (payload: Record<string, unknown>): Came => ({ body: eventOf(payload), page: 'page-1' })

describe('the breadcrumbs rule', () => {
  it('passes for 100 breadcrumbs, oldest first', () => {
    expect(judge(eventOf({ breadcrumbs: trail(100) }))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('fails for 101 breadcrumbs', () => {
    expect(judge(eventOf({ breadcrumbs: trail(101) }))).toEqual(
      failing(1, {
        about: 'Error: boom',
        at: { seq: 1, item: 0, traceId: 'a'.repeat(32), eventId: 'e'.repeat(32) },
        path: 'breadcrumbs',
        actual: '101 breadcrumbs',
        expected: 'at most 100',
      }),
    )
  })

  it('fails if the list starts over more often than there are scopes', () => {
    const backwards = trail(5).reverse()
    expect(judge(eventOf({ breadcrumbs: { values: backwards } }))).toMatchObject(
      failingWith({
        path: 'breadcrumbs.3.timestamp',
        actual: '1 s older than the breadcrumb before it',
        expected: 'oldest first, in each of 3 scopes',
      }),
    )
  })

  it('passes for lists in order per scope, as SDK 11.8 concatenates them', () => {
    const merged = [...trail(2, 20), ...trail(3, 10), ...trail(2)]
    expect(judge(eventOf({ breadcrumbs: merged }))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('is a warning, because an app may add breadcrumbs to its own scopes', () => {
    expect(breadcrumbsRule.severity).toBe('warning')
  })

  it('passes if an old breadcrumb of another scope comes last', () => {
    const earlier = ofPage({ breadcrumbs: trail(100), timestamp: BEGIN_S + 100 })
    const merged = [...trail(99, 21), ...trail(1)]
    const later = ofPage({ breadcrumbs: merged, timestamp: BEGIN_S + 130, event_id: 'f'.repeat(32) })
    expect(judge(earlier, later)).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('passes if a full list continues the previous list of the page', () => {
    const earlier = ofPage({ breadcrumbs: trail(100), timestamp: BEGIN_S + 100 })
    const later = ofPage({ breadcrumbs: trail(100, 20), timestamp: BEGIN_S + 130, event_id: 'f'.repeat(32) })
    expect(judge(earlier, later)).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('fails if a full list ends before the previous list of the page', () => {
    const earlier = ofPage({ breadcrumbs: trail(120).slice(-100), timestamp: BEGIN_S + 120 })
    const later = ofPage({ breadcrumbs: trail(100), timestamp: BEGIN_S + 130, event_id: 'f'.repeat(32) })
    expect(judge(earlier, later)).toMatchObject(
      failingWith({
        at: { eventId: 'f'.repeat(32) },
        actual: 'the newest is 20 s older than one in an earlier event of the page',
        expected: 'the newest are kept, the oldest dropped',
      }),
    )
  })

  it('compares lists in the order of the errors, with the newest breadcrumb so far', () => {
    const at = (second: number, from: number, id: string): Came =>
      ofPage({ breadcrumbs: trail(100, from), timestamp: BEGIN_S + second, event_id: id.repeat(32) })
    expect(judge(at(130, 20, 'f'), at(110, 0, 'e'))).toEqual({ verdict: 'pass', judged: 2 })
    expect(judge(at(130, 20, 'a'), at(131, 10, 'b'), at(132, 15, 'c'))).toMatchObject(
      failingWith({ at: { eventId: 'b'.repeat(32) } }, { at: { eventId: 'c'.repeat(32) } }),
    )
  })

  it('compares the newest breadcrumb of each list, at any index', () => {
    const merged = [...trail(99, 21), ...trail(1)]
    const earlier = ofPage({ breadcrumbs: merged, timestamp: BEGIN_S + 120 })
    const later = ofPage({ breadcrumbs: trail(100), timestamp: BEGIN_S + 130, event_id: 'f'.repeat(32) })
    expect(judge(earlier, later)).toMatchObject(
      failingWith({ actual: expect.stringMatching(/^the newest is 20 s older/) }),
    )
  })

  it('passes if nothing happened between two errors', () => {
    const same = { breadcrumbs: trail(100), timestamp: BEGIN_S + 100 }
    expect(judge(ofPage(same), ofPage({ ...same, event_id: 'f'.repeat(32) }))).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('ignores breadcrumbs without a timestamp', () => {
    const [first, ...rest] = trail(100)
    const timeless = Array.from({ length: 100 }, (_, index) => ({ message: `step ${index}` }))
    const earlier = ofPage({ breadcrumbs: trail(100), timestamp: BEGIN_S + 100 })
    const undated = ofPage({ breadcrumbs: timeless, timestamp: BEGIN_S + 101, event_id: 'f'.repeat(32) })
    expect(judge(earlier, undated)).toEqual({ verdict: 'pass', judged: 2 })
    const gaps = rest.flatMap((crumb, index) => (index % 20 === 0 ? [{ message: 'untold' }, crumb] : [crumb]))
    expect(judge(eventOf({ breadcrumbs: [first, ...gaps].slice(0, 100) }))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('is incomplete without breadcrumbs', () => {
    const why = 'No error event of a JavaScript SDK has breadcrumbs.'
    expect(judge(eventOf())).toEqual({ verdict: 'incomplete', why })
  })
})
