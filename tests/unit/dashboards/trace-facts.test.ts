import { describe, expect, it } from 'vitest'
import { panelOf } from '../../../dashboards/traces/detail-panel'
import { distinctBreadcrumbs, marksIn } from '../../../dashboards/traces/marks'
import { failed, modelCall, selfTimeUs } from '../../../dashboards/traces/span-facts'
import { filterAttributes } from '../../../dashboards/ui/attribute-table'
import type { Breadcrumb } from '../../../lib/wire/event'
import { draw } from '../protocol/trace/drawing'
import { errorOf } from './drawn-error'

describe('self time', () => {
  /** Self time of the first span with the others as children, in units of the drawing. */
  const own = (drawing: string): number => {
    const [span, ...children] = draw(drawing)
    if (span === undefined) throw new Error('a span is drawn')
    return selfTimeUs(span, children) / (span.endUs - span.startUs)
  }

  it('is the whole duration without children', () => {
    expect(own('a |----------|')).toBe(1)
  })

  it('is the part without children; overlaps count once', () => {
    const [span] = draw('a |---------|')
    if (span === undefined) throw new Error('a span is drawn')
    const tenth = (span.endUs - span.startUs) / 10
    const child = (from: number, to: number) => ({
      startUs: span.startUs + from * tenth,
      endUs: span.startUs + to * tenth,
    })
    expect(selfTimeUs(span, [child(1, 4), child(3, 5), child(7, 8)])).toBeCloseTo(5 * tenth)
    expect(selfTimeUs(span, [child(7, 8), child(1, 4)])).toBeCloseTo(6 * tenth)
  })

  it('ignores the parts of children outside the span', () => {
    expect(selfTimeUs({ startUs: 100, endUs: 200 }, [{ startUs: 0, endUs: 120 }])).toBe(80)
    expect(selfTimeUs({ startUs: 100, endUs: 200 }, [{ startUs: 300, endUs: 400 }])).toBe(100)
    expect(selfTimeUs({ startUs: 100, endUs: 200 }, [{ startUs: 0, endUs: 900 }])).toBe(0)
  })
})

it.each([
  [
    { 'gen_ai.request.model': 'gpt-4o', 'gen_ai.usage.input_tokens': 1200, 'gen_ai.usage.output_tokens': 85 },
    { model: 'gpt-4o', tokens: '1,200 in, 85 out' },
  ],
  [
    { 'gen_ai.request.model': 'gpt-4o', 'gen_ai.response.model': 'gpt-4o-2024-08-06' },
    { model: 'gpt-4o-2024-08-06', tokens: null },
  ],
  [{ 'gen_ai.usage.prompt_tokens': 7 }, { model: null, tokens: '7 in' }],
  [{ 'http.request.method': 'GET' }, null],
])('a call to a language model shows model and tokens of %j', (attributes, expected) => {
  expect(modelCall(attributes)).toEqual(expected)
})

describe('marks on the axis', () => {
  const window = { startUs: 0, endUs: 1000 }
  const error = (timestampUs: number) => errorOf({ eventId: `e${timestampUs}`, timestampUs })
  const crumb = (timestampUs: number | null, eventId = 'e1', index = 0): Breadcrumb => ({
    eventId,
    index,
    timestampUs,
    category: 'ui.click',
    type: null,
    level: 'info',
    message: 'button',
    data: null,
  })

  it('are at their time, and overlapping ones are merged', () => {
    const { marks } = marksIn(window, [error(500)], [crumb(100), crumb(103), crumb(498)])
    expect(marks.map(({ fraction, errors, breadcrumbs }) => [fraction, errors.length, breadcrumbs.length])).toEqual([
      [0.1, 0, 2],
      [0.5, 1, 1],
    ])
  })

  it('count what is outside the window and skip entries without a time', () => {
    const { marks, earlier, later } = marksIn(window, [error(-5), error(2000)], [crumb(-10), crumb(null)])
    expect([marks.length, earlier, later]).toEqual([0, 2, 1])
  })

  it('show a breadcrumb of two errors once, oldest first', () => {
    const both = [
      crumb(200, 'e1', 1),
      crumb(100, 'e1', 0),
      crumb(100, 'e2', 0),
      crumb(200, 'e2', 1),
      crumb(300, 'e2', 2),
    ]
    expect(distinctBreadcrumbs(both).map((one) => one.timestampUs)).toEqual([100, 200, 300])
  })
})

describe('attributes', () => {
  const attributes = { 'url.full': 'http://a/b', size: 12, list: ['x', 'y'], ok: true }

  it('are text, sorted by name', () => {
    expect(filterAttributes(attributes, '')).toEqual([
      { key: 'list', text: '["x","y"]' },
      { key: 'ok', text: 'true' },
      { key: 'size', text: '12' },
      { key: 'url.full', text: 'http://a/b' },
    ])
  })

  it.each([
    ['URL', ['url.full']],
    ['true', ['ok']],
    [' x', ['list']],
    ['nothing', []],
  ])('filtered by %j are %j', (filter, keys) => {
    expect(filterAttributes(attributes, filter).map((one) => one.key)).toEqual(keys)
  })
})

it.each(['error', 'internal_error', 'deadline_exceeded', 'not_found'])('the status %s is a failure', (status) => {
  expect(failed(status)).toBe(true)
})

it.each([null, '', 'ok', 'cancelled', 'unset'])('the status %s is not a failure', (status) => {
  expect(failed(status)).toBe(false)
})

it.each([
  { show: null, span: null, errors: false, open: null },
  { show: null, span: null, errors: true, open: 'errors' },
  { show: 'none', span: null, errors: true, open: null },
  { show: null, span: 'a', errors: true, open: 'span' },
  { show: 'none', span: 'a', errors: true, open: 'span' },
  { show: 'delivery', span: 'a', errors: false, open: 'delivery' },
  { show: 'span', span: null, errors: false, open: null },
  { show: 'nonsense', span: null, errors: false, open: null },
])('the panel of ?show=$show&span=$span with errors: $errors is $open', ({ show, span, errors, open }) => {
  expect(panelOf(show, span, errors)).toBe(open)
})
