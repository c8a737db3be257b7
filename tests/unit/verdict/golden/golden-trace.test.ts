import { expect, it } from 'vitest'
import {
  goldenText,
  MAX_GOLDEN_LEVELS,
  MAX_GOLDEN_LINES,
  parseGolden,
} from '../../../../lib/verdict/golden/golden-file'
import { goldenOf } from '../../../../lib/verdict/golden/golden-trace'
import { containerOf, drawn, transactionOf } from '../rules/sample-evidence'
import { goldenFrom, traceFrom } from './sample-golden'

const PAGE = drawn(`
  pageload /orders/17                    ============
    browser.request Request              ==
    resource.script /main.js                ==
    ui.long-animation-frame Main            =
      function render                        =
    http.client GET localhost               ===
    http.client GET shop                     =
    db.redis connect                             =
`)

const ATTRIBUTES = {
  'GET localhost': {
    'http.request.method': 'GET',
    'url.full': 'http://localhost:3210/api/orders/17?page=2',
    'http.response.status_code': 200,
  },
  'GET shop': {
    'http.request.method': 'GET',
    'url.full': 'http://localhost:3210/shop?_rsc=1',
    'http.request.prefetch': true,
  },
}

const SERVER = drawn(`
  http.server GET /api/orders/17    =====
    - load route module             =
    db SELECT 1                      =
    db SELECT 2                       =
    db SELECT 3                        =
    mail.send "A  B" ×3                 =
`)

const ANSWER = {
  service: 'server',
  ids: 'c',
  attributes: {
    'GET /api/orders/17': {
      'http.request.method': 'GET',
      'url.path': '/api/orders/17',
      'http.route': '/api/orders/[id]/route',
      'http.response.status_code': 500,
      'sentry.kind': 'server',
    },
    'load route module': { 'next.span_type': 'LoadComponents.loadRouteModule' },
    ...Object.fromEntries(
      [1, 2, 3].map((id) => [
        `SELECT ${id}`,
        { 'db.system': 'postgresql', 'db.operation.name': 'SELECT', 'http.route': '/other' },
      ]),
    ),
    '"A  B" ×3': { 'sentry.kind': 'producer', 'mail.to': 'id 7 of a@shop.example' },
  },
} as const

const PAGE_ENVELOPE = transactionOf(PAGE, { attributes: ATTRIBUTES })
const SERVER_ENVELOPE = transactionOf(SERVER, { ...ANSWER, parentSpanId: '0000000000000006' })

it('keeps what an app does, and drops what depends on machine, cache and painting', () => {
  expect(goldenText(goldenFrom(PAGE_ENVELOPE, SERVER_ENVELOPE))).toBe(`lifecycle: static
pageload /orders/* [service=browser]
  function render
  http.client GET /api/orders/* [status=200]
    http.server GET /api/orders/* [service=server, route=/api/orders/[id], status=500]
      db SELECT * [db=postgresql SELECT] ×3
      mail.send "A B" x* [kind=producer]
`)
})

it('is the same in any order of siblings, with other ids, times and ports', () => {
  const later = transactionOf(drawn(PICTURE_LATER), {
    attributes: {
      ...ATTRIBUTES,
      'GET localhost': { ...ATTRIBUTES['GET localhost'], 'url.full': 'http://localhost:4999/api/orders/230' },
    },
    aheadMs: 777,
  })
  const ofPage = goldenFrom(PAGE_ENVELOPE).roots
  expect(goldenFrom(later).roots).toEqual(ofPage)
})

const PICTURE_LATER = `
  pageload /orders/4                     ============
    http.client GET localhost            =======
    function render                       =
`

it('drops a prefetch with its part of the server', () => {
  const answer = transactionOf(SERVER, { ...ANSWER, parentSpanId: '0000000000000007' })
  expect(goldenFrom(PAGE_ENVELOPE, answer)).toEqual(goldenFrom(PAGE_ENVELOPE))
})

it('has one text for lists of any length, and for the pages of any build', () => {
  const [short, long] = ['IN (?, ?)', 'in ($1, $2, $3)'].map((list) =>
    drawn(`
      http.server GET /_next/data/${list.length}Kx_b1/cart.json    ====
        db SELECT a ${list} LIMIT ?      =
    `),
  )
  const text = 'http.server GET /_next/data/*/cart.json [service=browser]\n  db SELECT a IN (*) LIMIT ?\n'
  for (const spans of [short, long])
    expect(goldenText(goldenFrom(transactionOf(spans ?? [])))).toBe(`lifecycle: static\n${text}`)
})

it('keeps named attributes without their ids and numbers', () => {
  const made = goldenOf(traceFrom(SERVER_ENVELOPE), ['mail.to', 'mail.from'])
  expect(made.ok && goldenText(made.value)).toContain('mail.send "A B" x* [kind=producer, mail.to=id * of *]\n')
})

it('names the lifecycles of the kept segments', () => {
  const late = { ...ANSWER, parentSpanId: '0000000000000006' }
  expect(goldenFrom(PAGE_ENVELOPE, containerOf(SERVER, late)).lifecycle).toBe('static, stream')
  const vital = containerOf(drawn('ui.webvital.lcp LCP   ='), { ids: 'd' })
  expect(goldenFrom(PAGE_ENVELOPE, vital).lifecycle).toBe('static')
})

it('marks the status class of failed spans', () => {
  const payload = JSON.parse(transactionOf(PAGE).split('\n')[2] ?? '')
  payload.contexts.trace.status = 'deadline_exceeded'
  const failed = transactionOf(PAGE, { payload: { contexts: payload.contexts } })
  expect(goldenText(goldenFrom(failed))).toContain('pageload /orders/* [service=browser, error]\n')
})

it('writes names with signs of the file so that they are read as names', () => {
  const odd = drawn(`
    ?x ? a ×*      ====
      ? x            =
  `)
  const written = goldenText(goldenFrom(transactionOf(odd)))
  expect(written).toBe('lifecycle: static\n-x - a x* [service=browser]\n  - x\n')
  expect(parseGolden(written).ok).toBe(true)
})

it('keeps at most 2000 spans besides the dropped ones', () => {
  const [page, child] = drawn(`
    pageload /      ====
      function a     =
  `)
  if (page === undefined || child === undefined) throw new TypeError('the drawing has two spans')
  const children = (count: number, op: string) =>
    Array.from({ length: count }, (_, index) => ({ ...child, op, spanId: (index + 16).toString(16).padStart(16, '0') }))
  const most = MAX_GOLDEN_LINES - 1
  const trace = (...spans: readonly (typeof page)[]) => traceFrom(transactionOf([page, ...spans]))
  const within = goldenOf(trace(...children(most, 'function')), [])
  expect(within.ok && goldenText(within.value)).toBe(
    'lifecycle: static\npageload / [service=browser]\n  function a ×1999\n',
  )
  expect(goldenOf(trace(...children(3000, 'resource.img')), []).ok).toBe(true)
  expect(goldenOf(trace(...children(most + 1, 'function')), [])).toEqual({
    ok: false,
    error: 'it has 2001 spans besides the dropped ones; a golden trace has at most 2000',
  })
})

it('keeps at most 200 levels of a trace of any depth', () => {
  const [page, ...rest] = drawn(`
    pageload /      ====
      function a     =
  `)
  const chain = (levels: number) =>
    Array.from({ length: levels }, (_, index) => {
      const idOf = (level: number): string => (level + 1).toString(16).padStart(16, '0')
      const [of] = index === 0 ? [page] : rest
      if (of === undefined) throw new TypeError('the drawing has two spans')
      return { ...of, spanId: idOf(index), parentId: index === 0 ? null : idOf(index - 1) }
    })
  expect(goldenOf(traceFrom(transactionOf(chain(MAX_GOLDEN_LEVELS))), []).ok).toBe(true)
  expect(goldenOf(traceFrom(transactionOf(chain(1500))), [])).toEqual({
    ok: false,
    error: 'it is 1500 levels deep; a golden trace has at most 200',
  })
})
