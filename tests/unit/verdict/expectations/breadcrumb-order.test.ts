import { describe, expect, it } from 'vitest'
import { breadcrumbsInOrder } from '../../../../lib/verdict/expectations/breadcrumb-order'
import { NO_BOARDS } from '../../../../lib/verdict/verdict'
import { BEGIN_S, eventOf, evidenceOf } from '../rules/sample-evidence'

const BOARDS = { appUrl: 'http://localhost:3000' }
const EVENT = 'e'.repeat(32)

/** One breadcrumb per second, such as `ui.click button#pay`, from the given second. */
const trailOf = (lines: readonly string[], from = 0) =>
  lines.map((line, index) => {
    const [category, ...message] = line.split(' ')
    return { category, message: message.join(' '), timestamp: BEGIN_S + from + index }
  })
const errorWith = (lines: readonly string[], payload: Readonly<Record<string, unknown>> = {}) =>
  eventOf({ breadcrumbs: trailOf(lines), ...payload })

const CLICKED = evidenceOf(errorWith(['navigation /', 'ui.click button#pay', 'console warn', 'fetch POST /api/pay']))

describe('breadcrumbs in order', () => {
  it('match with other breadcrumbs in between', () => {
    const { verdict, negatedMessage } = breadcrumbsInOrder(
      CLICKED,
      [{ category: 'ui.click' }, { category: 'fetch' }],
      BOARDS,
    )
    expect(verdict).toEqual({ verdict: 'pass', judged: 4 })
    expect(negatedMessage).toBe(
      `error Error: boom has these breadcrumbs in this order; expected not to have them

2. ui.click button#pay
4. fetch POST /api/pay

  http://localhost:3000/events/${EVENT}`,
    )
  })

  it('report the first missing one and the breadcrumbs after the last match', () => {
    const expected = [{ category: 'ui.click' }, { category: 'fetch', message: /cart/ }, { category: 'navigation' }]
    const { verdict, message } = breadcrumbsInOrder(CLICKED, expected, BOARDS)
    expect(verdict).toMatchObject({
      verdict: 'fail',
      findings: [{ about: 'error Error: boom', path: 'breadcrumbs.1', actual: '1 breadcrumb in this order' }],
    })
    expect(message).toBe(
      `error Error: boom has no breadcrumb 2 of 3, with category "fetch" and message like /cart/, after the previous one

found 2. ui.click button#pay

later breadcrumbs:
  console warn
  fetch POST /api/pay

nearest: 4. fetch POST /api/pay
  message  expected /cart/, got "POST /api/pay"

  http://localhost:3000/events/${EVENT}`,
    )
  })

  it('report a match that came earlier', () => {
    const { message } = breadcrumbsInOrder(CLICKED, [{ category: 'fetch' }, { category: 'ui.click' }], NO_BOARDS)
    expect(message).toBe(
      `error Error: boom has no breadcrumb 2 of 2, with category "ui.click", after the previous one

found 4. fetch POST /api/pay

later breadcrumbs: none

a match came earlier: 2. ui.click button#pay`,
    )
  })

  it('list up to five other breadcrumbs and count the rest', () => {
    const messageWith = (count: number): string => {
      const trail = Array.from({ length: count }, (_, index) => `console ${index}`)
      return breadcrumbsInOrder(evidenceOf(errorWith(trail)), [{ category: 'fetch' }], NO_BOARDS).message
    }
    const five = '  console 0\n  console 1\n  console 2\n  console 3\n  console 4'
    expect(messageWith(5)).toBe(
      `error Error: boom has no breadcrumb 1 of 1, with category "fetch"\n\nall breadcrumbs:\n${five}\n\nnearest: 5. console 4\n  category  expected "fetch", got "console"`,
    )
    expect(messageWith(7)).toContain(`all breadcrumbs:\n${five}\n  and 2 more`)
  })

  it('report the nearest breadcrumb, which the shortened list may not contain', () => {
    const trail = [
      ...Array.from({ length: 40 }, (_, index) => `console ${index}`),
      'fetch POST /api/crat',
      'console 41',
    ]
    const missing = [{ category: 'fetch', message: 'POST /api/cart' }]
    expect(breadcrumbsInOrder(evidenceOf(errorWith(trail)), missing, NO_BOARDS).message).toContain(
      'nearest: 41. fetch POST /api/crat\n  message  expected "POST /api/cart", got "POST /api/crat"',
    )
    expect(breadcrumbsInOrder(CLICKED, [() => false], NO_BOARDS).message).not.toContain('nearest')
  })

  it('report an earlier match only if there is one', () => {
    const expected = [{ category: 'ui.click' }, { category: 'fetch', message: /cart/ }]
    expect(breadcrumbsInOrder(CLICKED, expected, NO_BOARDS).message).not.toContain('a match came earlier')
  })

  it('are searched in one event if its id is given', () => {
    const first = errorWith(['ui.click one'], { event_id: 'a'.repeat(32) })
    const second = errorWith(['ui.click two'], { event_id: 'b'.repeat(32) })
    const named = (eventId: string) =>
      breadcrumbsInOrder(evidenceOf(first, second), [{ message: 'two' }], NO_BOARDS, { eventId: eventId.repeat(32) })
    expect(named('b').verdict).toEqual({ verdict: 'pass', judged: 1 })
    expect(named('a').verdict.verdict).toBe('fail')
    expect(named('c').message).toContain(
      `no event ${'c'.repeat(32)} with breadcrumbs arrived; breadcrumbs are sent with an error`,
    )
  })

  it('are merged over several errors by time, without duplicates', () => {
    const first = errorWith(['ui.click one'], { event_id: 'a'.repeat(32) })
    const second = eventOf({ breadcrumbs: trailOf(['ui.click two'], 5), event_id: 'b'.repeat(32) })
    const both = evidenceOf(second, first)
    const ones = [{ message: 'one' }, { message: 'two' }]
    expect(breadcrumbsInOrder(both, ones, NO_BOARDS).verdict.verdict).toBe('pass')
    expect(breadcrumbsInOrder(both, [...ones].reverse(), NO_BOARDS).verdict.verdict).toBe('fail')
    expect(breadcrumbsInOrder(both, ones, NO_BOARDS, { eventId: 'b'.repeat(32) }).verdict.verdict).toBe('fail')
    const again = evidenceOf(first, first)
    expect(breadcrumbsInOrder(again, [{ message: 'one' }, { message: 'one' }], NO_BOARDS).verdict.verdict).toBe('fail')
  })

  it('with equal timestamps are kept once over several errors', () => {
    const fetches = ['/api/cart', '/api/user', '/api/user'].map((url) => ({
      category: 'fetch',
      timestamp: 1_795_000_000,
      data: { url },
    }))
    const first = eventOf({ breadcrumbs: fetches, event_id: 'a'.repeat(32) })
    const second = eventOf({ breadcrumbs: [...fetches, { category: 'ui.click' }], event_id: 'b'.repeat(32) })
    const expected = fetches.map(({ data }) => ({ data }))
    const judge = (...more: readonly { readonly category: string }[]) => {
      const all = [eventOf({ breadcrumbs: [{ category: 'console' }], event_id: 'c'.repeat(32) }), first, second]
      return breadcrumbsInOrder(evidenceOf(...all), [...more, ...expected], NO_BOARDS).verdict.verdict
    }
    expect(judge({ category: 'console' })).toBe('pass')
    expect(judge({ category: 'console' }, { category: 'fetch' })).toBe('fail')
  })

  it('are incomplete without breadcrumbs', () => {
    const { verdict, message } = breadcrumbsInOrder(evidenceOf(eventOf()), [{ category: 'fetch' }], NO_BOARDS)
    const why = 'no event with breadcrumbs arrived; breadcrumbs are sent with an error'
    expect(verdict).toEqual({ verdict: 'incomplete', why })
    expect(message).toBe(`${why}\n\nwhat arrived:\n  1 error: Error: boom`)
  })

  it.each([
    ['an object', { category: 'fetch' }, '{"category":"fetch"}'],
    ['an empty list', [], '[]'],
  ])('reject %s with a TypeError', (_what, expected, text) => {
    expect(() => Reflect.apply(breadcrumbsInOrder, null, [CLICKED, expected, NO_BOARDS])).toThrow(
      new TypeError(
        `expected breadcrumbs must be a non-empty list such as [{ category: 'ui.click' }, { category: 'fetch' }], got ${text}`,
      ),
    )
  })
})
