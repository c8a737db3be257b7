import { describe, expect, it } from 'vitest'
import {
  entriesBefore,
  marksBefore,
  nearestEntries,
  positionBefore,
  ticksBefore,
} from '../../../dashboards/errors/before-entries'
import type { Breadcrumb } from '../../../lib/wire/event'
import type { SignalRow } from '../../../lib/wire/signal'
import type { SpanRow } from '../../../lib/wire/trace'
import { drawnEvent } from './drawn-error'

const SECOND = 1_000_000
const AT = 100 * SECOND

const breadcrumb = (index: number, timestampUs: number | null, more: Partial<Breadcrumb> = {}): Breadcrumb => ({
  eventId: 'e',
  index,
  timestampUs,
  category: 'ui.click',
  type: null,
  level: null,
  message: `click ${index}`,
  data: null,
  ...more,
})
const log: SignalRow = {
  kind: 'log',
  key: 'k',
  journal: 1,
  seq: 1,
  item: 0,
  receivedAt: 0,
  timestampUs: AT - 2 * SECOND,
  traceId: null,
  spanId: null,
  eventId: null,
  name: 'stock is low',
  level: 'warn',
  service: 'server',
  environment: null,
  release: null,
  copy: 'no',
  deliveryStatus: { name: 'accepted', reason: null },
  fields: {},
}
const span = (spanId: string, service: string, startUs: number, isSegment = false): SpanRow => ({
  spanId,
  parentSpanId: null,
  segmentId: null,
  isSegment,
  name: `span ${spanId}`,
  op: 'db',
  status: null,
  origin: null,
  service,
  startUs,
  endUs: startUs + 1000,
  attributes: {},
  links: [],
  seq: 1,
  item: 0,
  traceId: '0'.repeat(32),
  environment: null,
  release: null,
  journal: 1,
  receivedAt: 0,
  deliveryStatus: { name: 'accepted', reason: null },
})
const event = { ...drawnEvent, service: 'browser', timestampUs: AT }

describe('entries before an error', () => {
  it('merges breadcrumbs, logs and spans by time; later ones are left out, and the error is last', () => {
    const breadcrumbs = [breadcrumb(0, AT - 3 * SECOND), breadcrumb(1, AT - SECOND), breadcrumb(2, AT + 1)]
    const spans = [span('db', 'server', AT - 1.5 * SECOND), span('late', 'server', AT + SECOND)]
    const entries = entriesBefore({ ...event, breadcrumbs }, { logs: [log], spans })
    expect(entries.map(({ text }) => text)).toEqual(['click 0', 'stock is low', 'span db', 'click 1', event.title])
    expect(entries.map(({ kind }) => kind)).toEqual(['breadcrumb', 'log', 'span', 'breadcrumb', 'error'])
  })

  it('leaves out spans of the service of the event, except segments', () => {
    const spans = [span('own', 'browser', AT - 1), span('page', 'browser', AT - 2, true)]
    expect(entriesBefore(event, { logs: [], spans }).map(({ key }) => key)).toEqual(['span page', 'error'])
  })

  it('shows the 200 nearest to the error, which is one of them', () => {
    const breadcrumbs = Array.from({ length: 300 }, (_, at) => breadcrumb(at, at))
    const shown = nearestEntries(entriesBefore({ ...event, breadcrumbs }, { logs: [], spans: [] }))
    expect([shown.length, shown[0]?.text, shown.at(-1)?.kind]).toEqual([200, 'click 101', 'error'])
  })

  it('writes a navigation and a request in one line, and control characters as signs', () => {
    const breadcrumbs = [
      breadcrumb(0, 1, { message: '', data: { from: '/', to: '/cart' } }),
      breadcrumb(1, 2, { message: null, data: { method: 'POST', url: '/api', status_code: 500 } }),
      breadcrumb(2, 3, { message: 'a\u202eb', data: { x: 1 } }),
    ]
    const entries = entriesBefore({ ...event, breadcrumbs }, { logs: [], spans: [] })
    expect(entries.slice(0, 3).map(({ text, detail }) => [text, detail])).toEqual([
      ['/ → /cart', null],
      ['POST /api', '500'],
      ['a⟨U+202E⟩b', '{"x":1}'],
    ])
  })
})

describe('the line before an error', () => {
  it('gives each power of ten about the same width, or is linear', () => {
    const of = (us: number) => positionBefore('logarithmic', us, 100 * SECOND)
    expect([of(100 * SECOND), of(0)]).toEqual([0, 1])
    expect(of(SECOND) - of(10 * SECOND)).toBeCloseTo(of(0.1 * SECOND) - of(SECOND), 1)
    expect(positionBefore('linear', 25 * SECOND, 100 * SECOND)).toBe(0.75)
    expect(positionBefore('logarithmic', 0, 0)).toBe(1)
  })

  it('labels powers of ten inside the line', () => {
    expect(ticksBefore('logarithmic', 30 * SECOND).map(({ text }) => text)).toEqual(['−10 s', '−1 s', '−100 ms'])
    expect(ticksBefore('linear', 40 * SECOND).map(({ text }) => text)).toEqual(['−30 s', '−20 s', '−10 s'])
  })

  it('joins marks that would overlap, never with the error, and drops labels that would touch', () => {
    const breadcrumbs = [
      breadcrumb(0, AT - 50 * SECOND),
      breadcrumb(1, AT - 49.9 * SECOND),
      breadcrumb(2, AT - 45 * SECOND),
      breadcrumb(3, AT - 1),
      breadcrumb(4, null),
    ]
    const marks = marksBefore(entriesBefore({ ...event, breadcrumbs }, { logs: [], spans: [] }), 'linear')
    expect(marks.map(({ entries, label }) => [entries.length, label])).toEqual([
      [2, 'click 0'],
      [1, null],
      [1, null],
      [1, 'error'],
    ])
  })
})
