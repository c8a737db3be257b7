import { describe, expect, it } from 'vitest'
import { modelCall, sourceOf } from '../../../dashboards/traces/detail-facts'
import { type LaneMark, placeMarks } from '../../../dashboards/traces/lane'
import { minimapPaths } from '../../../dashboards/traces/minimap'
import { neighboursOf, vitalsOf } from '../../../dashboards/traces/page-facts'
import { failed } from '../../../dashboards/traces/span-facts'
import { distinctBreadcrumbs } from '../../../dashboards/traces/trace-lanes'
import { panelOf } from '../../../dashboards/traces/use-trace-state'
import { filterAttributes } from '../../../dashboards/ui/attribute-table'
import type { Breadcrumb } from '../../../lib/wire/event'

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
  const mark = (startUs: number, tone?: 'bad', endUs = startUs): LaneMark => ({
    id: `${startUs}`,
    startUs,
    endUs,
    glyph: 'log',
    ...(tone !== undefined && { tone }),
    title: `at ${startUs}`,
    onOpen: null,
  })
  const { glyph: _, ...task } = mark(300, undefined, 400)

  it('are at their time; overlapping ones are merged, the most serious first', () => {
    const { groups, stretches } = placeMarks([mark(100), mark(103), mark(498), mark(500, 'bad'), task], window)
    expect(groups.map(({ fraction, marks }) => [fraction, ...marks.map(({ id }) => id)])).toEqual([
      [0.1, '100', '103'],
      [0.5, '500', '498'],
    ])
    expect(stretches).toEqual([task])
  })

  it('are counted when they are outside the window', () => {
    const { groups, earlier, later } = placeMarks([mark(-5), mark(2000), mark(-10)], window)
    expect([groups.length, earlier.length, later.length]).toEqual([0, 2, 1])
  })

  it('show a breadcrumb of two errors once, oldest first', () => {
    const crumb = (timestampUs: number, eventId: string, index: number): Breadcrumb => ({
      eventId,
      index,
      timestampUs,
      category: 'ui.click',
      type: null,
      level: 'info',
      message: 'button',
      data: null,
    })
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

describe('the minimap', () => {
  const full = { startUs: 0, endUs: 1000 }
  const span = (startUs: number, endUs: number, service: string, failed = false) => ({
    startUs,
    endUs,
    service,
    op: null,
    failed,
  })
  /** Width of the lines of a colour, in pixels of the map. */
  const widthOf = (path: string | undefined): number =>
    [...(path ?? '').matchAll(/M(\d+) [\d.]+H(\d+)/g)].reduce((sum, [, from, to]) => sum + Number(to) - Number(from), 0)

  it('draws every span, also of a trace with more spans than pixels', () => {
    const many = Array.from({ length: 100_000 }, (_, at) => span(at / 100, at / 100, 'browser'))
    expect(widthOf(minimapPaths(many, full).get(1))).toBeGreaterThanOrEqual(1000)
    const lonely = minimapPaths([...many, span(999, 1000, 'server')], full)
    expect(widthOf(lonely.get(2))).toBe(1)
  })

  it('shows the failed and then the longest span where several share a pixel', () => {
    const long = Array.from({ length: 320 }, () => span(0, 1000, 'browser'))
    const paths = minimapPaths([...long, span(100, 200, 'server'), span(300, 400, 'server', true)], full)
    expect(widthOf(paths.get('failed'))).toBe(100)
    expect(paths.get(2)).toBeUndefined()
  })
})

it('a page names the traces before and after it that its span links to', () => {
  const link = (type: string | null, digit: string) => ({ traceId: digit.repeat(32), spanId: digit.repeat(16), type })
  const links = [link('previous_trace', 'b'), link(null, 'c'), link('next_trace', 'd'), link('previous_trace', 'a')]
  expect(neighboursOf([...links, { ...link('next_trace', 'e'), traceId: '<b>' }], 'a'.repeat(32))).toEqual([
    { name: 'Previous trace', href: `/traces/${'b'.repeat(32)}?span=${'b'.repeat(16)}` },
    { name: 'Next trace', href: `/traces/${'d'.repeat(32)}?span=${'d'.repeat(16)}` },
  ])
})

it('the trace that links to a page is the next one, unless the page names it', () => {
  const next = { traceId: 'e'.repeat(32), spanId: 'e'.repeat(16) }
  const named = { traceId: 'd'.repeat(32), spanId: 'd'.repeat(16), type: 'next_trace' }
  const href = `/traces/${'e'.repeat(32)}?span=${'e'.repeat(16)}`
  expect(neighboursOf([], 'a'.repeat(32), next)).toEqual([{ name: 'Next trace', href }])
  expect(neighboursOf([named], 'a'.repeat(32), next)).toHaveLength(1)
})

it('vitals are moments of the page load, with the words of their thresholds', () => {
  const measured = { 'measurements.lcp': { value: 2600 }, 'measurements.fcp': 740, 'measurements.cls': 0.1 }
  expect(vitalsOf(measured, 1_000_000)).toEqual([
    { name: 'FCP', atUs: 1_740_000, text: '740 ms', word: 'good', tone: 'ok' },
    { name: 'LCP', atUs: 3_600_000, text: '2.60 s', word: 'needs work', tone: 'warn' },
  ])
})

it.each([
  [
    { 'code.file.path': '/srv/a.ts', 'code.line.number': 4 },
    { path: '/srv/a.ts', line: 4, column: null, isOnDisk: true },
  ],
  [
    { 'code.filepath': 'file:///srv/a.ts', 'code.lineno': 4, 'code.column': 2 },
    { path: '/srv/a.ts', line: 4, column: 2, isOnDisk: true },
  ],
  [{ 'code.filepath': 'C:\\shop\\a.ts' }, { path: 'C:\\shop\\a.ts', line: null, column: null, isOnDisk: true }],
  [
    { 'code.file.path': 'http://localhost/a.js' },
    { path: 'http://localhost/a.js', line: null, column: null, isOnDisk: false },
  ],
  [{ 'code.file.path': '//host/a.js' }, { path: '//host/a.js', line: null, column: null, isOnDisk: false }],
  [{ 'code.file.path': '', 'code.line.number': 4 }, null],
  [{ 'code.file.path': ['a'] }, null],
])('the source in %j is %j', (attributes, source) => {
  expect(sourceOf(attributes)).toEqual(source)
})

describe('attributes', () => {
  const attributes = { 'url.full': 'http://a/b', size: 12, list: ['x', 'y'], ok: true }

  it('are text, sorted by name', () => {
    expect(filterAttributes(attributes, '').map(({ key, text }) => ({ key, text }))).toEqual([
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
