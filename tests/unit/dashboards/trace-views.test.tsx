import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { type Column, FigureTable, sortRows } from '../../../dashboards/traces/views/figure-table'
import { flameLayout, framesTo, nextBox, timeByService } from '../../../dashboards/traces/views/flame-layout'
import { shownJson } from '../../../dashboards/traces/views/json-view'
import { operationRows } from '../../../dashboards/traces/views/operations-view'
import { BOX, serviceLayout } from '../../../dashboards/traces/views/service-layout'
import { eventsWithin, traceEvents } from '../../../dashboards/traces/views/trace-events'
import { percentText, treeWithin } from '../../../dashboards/traces/views/view-frame'
import { criticalPaths } from '../../../lib/protocol/trace/critical-path'
import { flameOf, pathFlame } from '../../../lib/protocol/trace/flame'
import { selfTimes } from '../../../lib/protocol/trace/self-time'
import { type ServiceMap, serviceMap } from '../../../lib/protocol/trace/service-map'
import type { Breadcrumb } from '../../../lib/wire/event'
import type { SignalRow } from '../../../lib/wire/signal'
import { spanOf, timeTreeOf } from '../protocol/trace/analysed-spans'
import { errorOf } from './drawn-error'

const PAGE = [
  spanOf('page', null, 0, 1000, { service: 'browser' }),
  spanOf('early', 'page', 0, 400, { service: 'browser' }),
  spanOf('late', 'page', 400, 900),
  spanOf('query', 'late', 500, 800, { service: 'db' }),
]
const tree = timeTreeOf(...PAGE)
const [path] = criticalPaths(tree)
if (path === undefined) throw new Error('the trace has a root')
const { frames } = pathFlame(tree, path)
const named = (name: string) => {
  const frame = frames.find((one) => one.name === name)
  if (frame === undefined) throw new Error(`no frame ${name}`)
  return frame
}

describe('the layout of a flame graph', () => {
  const shown = (zoomed: string | null) =>
    flameLayout(frames, zoomed === null ? null : named(zoomed)).boxes.map(
      ({ frame, left, width }) => `${frame.name} ${left.toFixed(2)} ${width.toFixed(2)}`,
    )

  it('is the whole graph at first', () => {
    expect(shown(null)).toEqual(['page 0.00 1.00', 'early 0.00 0.40', 'late 0.40 0.50', 'query 0.40 0.30'])
  })

  it('keeps what is above and below a zoomed frame, which fills the width', () => {
    expect(shown('late')).toEqual(['page 0.00 1.00', 'late 0.00 1.00', 'query 0.00 0.60'])
    expect(framesTo(frames, named('query')).map(({ name }) => name)).toEqual(['page', 'late', 'query'])
  })

  it('leaves out and counts frames below 0.1 % of the width, until a zoom makes them wide', () => {
    const wide = timeTreeOf(
      spanOf('root', null, 0, 100_000),
      spanOf('child', 'root', 0, 9000),
      spanOf('tiny', 'child', 0, 99),
    )
    const graph = flameOf(wide, selfTimes(wide))
    expect(flameLayout(graph.frames, null)).toMatchObject({ rows: 2, leftOut: 1 })
    expect(flameLayout(graph.frames, graph.frames[1] ?? null)).toMatchObject({ rows: 3, leftOut: 0 })
  })

  it('draws at most 2,000 frames, those nearest to the root', () => {
    const chain = timeTreeOf(
      ...Array.from({ length: 2500 }, (_, at) => spanOf(`s${at}`, at === 0 ? null : `s${at - 1}`, 0, 100)),
    )
    const { boxes, leftOut } = flameLayout(flameOf(chain, selfTimes(chain)).frames, null)
    expect([boxes.length, boxes.at(-1)?.frame.depth, leftOut]).toEqual([2000, 1999, 500])
  })

  it('goes with arrows to parent, child and neighbours', () => {
    const { boxes } = flameLayout(frames, null)
    const go = (name: string, key: string) => {
      const from = boxes.find(({ frame }) => frame.name === name)
      return from === undefined ? undefined : nextBox(boxes, from, key)?.frame.name
    }
    expect(go('query', 'ArrowUp')).toBe('late')
    expect(go('late', 'ArrowDown')).toBe('query')
    expect(go('late', 'ArrowLeft')).toBe('early')
    expect(go('early', 'ArrowRight')).toBe('late')
    expect(go('query', 'Home')).toBe('page')
    expect([go('early', 'ArrowLeft'), go('early', 'ArrowDown'), go('early', 'x')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('adds the own time of each service up to the whole', () => {
    expect(timeByService(frames)).toEqual([
      {
        service: 'browser',
        us: 500,
        share: 0.5,
        parts: [
          { name: 'early', us: 400 },
          { name: 'page', us: 100 },
        ],
      },
      { service: 'db', us: 300, share: 0.3, parts: [{ name: 'query', us: 300 }] },
      { service: 'server', us: 200, share: 0.2, parts: [{ name: 'late', us: 200 }] },
    ])
  })
})

it('a tree within a subtree has its top as root', () => {
  const { nodes, parents } = treeWithin(tree, new Set(['late', 'query']))
  expect([nodes.map(({ span }) => span.spanId), parents]).toEqual([
    ['late', 'query'],
    [-1, 0],
  ])
  expect(treeWithin(tree, null)).toBe(tree)
})

it.each([
  [0, '0 %'],
  [0.001, '< 1 %'],
  [0.126, '13 %'],
  [1, '100 %'],
])('a share of %d reads %s', (share, text) => {
  expect(percentText(share)).toBe(text)
})

describe('the table by operation', () => {
  it('has the time of each operation on the critical path', () => {
    const spans = [spanOf('root', null, 0, 100), spanOf('a', 'root', 0, 60, { name: 'GET /1' })]
    const alike = [...spans, spanOf('b', 'root', 0, 40, { name: 'GET /2' })]
    const all = timeTreeOf(...alike)
    const rows = operationRows(alike, { selfUs: () => selfTimes(all), path: criticalPaths(all)[0] ?? null })
    expect(rows.map(({ name, count, pathUs, spanIds }) => [name, count, pathUs, spanIds])).toEqual([
      ['GET /?', 2, 60, ['a', 'b']],
      ['root', 1, 40, ['root']],
    ])
  })

  const column: Column<readonly [string, number]> = { kind: 'count', label: 'Count', value: ([, count]) => count }
  const rows = [
    ['a', 2],
    ['b', 10],
    ['c', 2],
  ] as const

  it('sorts numbers as numbers and keeps the order of equal rows', () => {
    expect(sortRows(rows, column, false).map(([name]) => name)).toEqual(['b', 'a', 'c'])
    expect(sortRows(rows, column, true).map(([name]) => name)).toEqual(['a', 'c', 'b'])
    expect(sortRows(rows, { ...column, value: ([name]) => name }, false).map(([name]) => name)).toEqual(['c', 'b', 'a'])
  })

  it('shows 500 rows, and how many a click adds', () => {
    const html = renderToStaticMarkup(
      <FigureTable
        label="Rows"
        rows={Array.from({ length: 720 }, (_, at) => [`r${at}`, at] as const)}
        columns={[{ kind: 'service', label: 'Service', value: ([name]) => name }, column]}
        header={0}
        first={{ by: 1, isAscending: false }}
        keyOf={([name]) => name}
        onOpen={() => undefined}
        title="Show"
      />,
    )
    expect(html.match(/data-row/g)).toHaveLength(500)
    expect(html).toContain('Show 220 more of 220')
    expect(html).toContain('aria-sort="descending"')
    expect(html.indexOf('r719')).toBeLessThan(html.indexOf('r718'))
  })
})

describe('the events of a trace', () => {
  const crumb: Breadcrumb = {
    eventId: 'e1',
    index: 0,
    timestampUs: 5,
    category: 'navigation',
    type: null,
    level: null,
    message: null,
    data: { from: '/cart', to: '/checkout' },
  }
  const signal = (kind: SignalRow['kind'], timestampUs: number, more: Partial<SignalRow> = {}): SignalRow => ({
    kind,
    key: `${kind}${timestampUs}`,
    journal: 1,
    seq: 7,
    item: 0,
    receivedAt: 0,
    timestampUs,
    traceId: null,
    spanId: null,
    eventId: null,
    name: 'stock lock\u202e',
    level: null,
    service: 'server',
    environment: null,
    release: null,
    copy: 'no',
    deliveryStatus: { name: 'kept', reason: null },
    fields: {},
    ...more,
  })
  const events = traceEvents({
    errors: [errorOf({ timestampUs: 20, spanId: 'late' })],
    breadcrumbs: [crumb],
    signals: [signal('log', 10, { level: 'warn', spanId: 'query' }), signal('metric', 30)],
  })

  it('are in time order, with a word, a printable text and a page each', () => {
    expect(events.map(({ kind, tone, word, text, href }) => [kind, tone, word, text, href])).toEqual([
      ['breadcrumb', 'quiet', 'breadcrumb', '/cart → /checkout', '/events/e1'],
      ['log', 'warn', 'warn', 'stock lock⟨U+202E⟩', '/logs?kind=log&envelope=7&open=log10'],
      ['error', 'bad', 'error', 'Error: x', '/events/e1'],
      ['other', 'quiet', 'metric', 'stock lock⟨U+202E⟩', '/vitals?envelope=7&open=metric30'],
    ])
    expect(events[0]).toMatchObject({ category: 'navigation', service: 'browser' })
  })

  it('of a subtree are those of its spans', () => {
    expect(eventsWithin(events, new Set(['late', 'query'])).map(({ kind }) => kind)).toEqual(['log', 'error'])
    expect(eventsWithin(events, null)).toBe(events)
  })
})

describe('the layout of a service map', () => {
  const columns = (map: ServiceMap) => {
    const { services } = serviceLayout(map)
    const xs = [...new Set(services.map(({ x }) => x))].sort((a, b) => a - b)
    return xs.map((x) => services.filter((one) => one.x === x).map(({ node }) => node.service))
  }
  const mapOf = (...calls: readonly (readonly [string, string])[]): ServiceMap =>
    serviceMap(
      timeTreeOf(
        ...calls.flatMap(([from, to], at) => [
          spanOf(`${at}`, null, at, at + 9, { service: from }),
          spanOf(`${at} below`, `${at}`, at, at + 9, { service: to }),
        ]),
      ),
      new Map(),
    )

  it('puts services into columns by their distance from those that nobody calls', () => {
    expect(columns(mapOf(['page', 'api'], ['api', 'db'], ['api', 'cache'], ['page', 'db']))).toEqual([
      ['page'],
      ['api', 'db'],
      ['cache'],
    ])
  })

  it('starts at the first service of a cycle', () => {
    expect(columns(mapOf(['a', 'b'], ['b', 'a']))).toEqual([['a'], ['b']])
  })

  it('overlaps neither services nor labels', () => {
    const { services, edges, width, height } = serviceLayout(
      mapOf(['p', 'a'], ['q', 'b'], ['p', 'b'], ['q', 'a'], ['b', 'c'], ['c', 'a']),
    )
    const apart = (one: readonly number[], other: readonly number[], [w, h]: readonly [number, number]) =>
      Math.abs((one[0] ?? 0) - (other[0] ?? 0)) >= w || Math.abs((one[1] ?? 0) - (other[1] ?? 0)) >= h
    const labels = edges.map(({ labelX, labelY }) => [labelX, labelY])
    expect(edges).toHaveLength(6)
    expect(labels.every((one, at) => labels.every((other, to) => at === to || apart(one, other, [124, 36])))).toBe(true)
    expect(services.every(({ x, y }) => x + BOX.width <= width && y + BOX.height <= height)).toBe(true)
  })

  it('draws at most 40 services', () => {
    const calls = Array.from({ length: 60 }, (_, at) => ['page', `api ${at}`] as const)
    expect(serviceLayout(mapOf(...calls)).services).toHaveLength(40)
  })
})

it('the JSON of a trace is cut at 200,000 characters', () => {
  expect(shownJson('x'.repeat(300_000))).toHaveLength(200_000)
  expect(shownJson('a\n\u202e')).toBe('a\n⟨U+202E⟩')
})
