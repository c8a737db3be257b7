import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CONTRACT } from '../../../../lib/contract/settings'
import {
  CHILD_SPAN_TIMEOUT_MS,
  HEARTBEAT_MS,
  NOT_FOUND_NAME,
  PREFETCH_DYNAMIC_S,
  PREFETCH_STATIC_S,
  TRACE_HEADER_TARGETS,
} from '../../../../lib/contract/values'
import config from '../../../../next.config.js'

/** Compares as the SDK does: the whole address, or only the path on the page's origin. */
function carriesTrace(address: string, page = 'http://localhost:3000/lab'): boolean {
  const url = new URL(address, page)
  const isOwn = url.origin === new URL(page).origin
  return TRACE_HEADER_TARGETS.some((target) => target.test(url.href) || (isOwn && target.test(url.pathname)))
}

it.each([
  ['/api/hello', 'a relative path'],
  ['api/hello', 'a relative path without a slash'],
  ['/', 'the root'],
  ['/tunnels', 'a path that only begins like the tunnel'],
  ['http://localhost:3000/api', 'the own origin in full'],
  ['http://localhost:8080/api', 'another port of localhost'],
  ['https://localhost/x', 'localhost by https'],
])('trace headers are sent to %s: %s', (address) => {
  expect(carriesTrace(address)).toBe(true)
})

it('trace headers are sent to a relative path if the app is opened as 127.0.0.1', () => {
  expect(carriesTrace('/api/hello', 'http://127.0.0.1:3000/')).toBe(true)
})

it.each([
  ['/tunnel', 'the tunnel'],
  ['/tunnel?o=1', 'the tunnel with a query'],
  ['/t/k3', 'the tunnel under another name'],
  ['http://localhost:3000/t/k3/v1/traces', 'the tunnel under another name in full'],
  ['/collector/query/traces', 'the collector'],
  ['http://localhost:3000/tunnel', 'the tunnel in full'],
  ['http://localhost:3000/collector/query/stream', 'the collector in full'],
  ['http://127.0.0.1:8080/api', 'another port of 127.0.0.1'],
  ['https://example.com/api', 'another origin'],
  ['//example.com/api', 'another origin without a scheme'],
  ['https://localhost.example.com/', 'a name that only begins like localhost'],
  ['https://example.com/?to=http://localhost/', 'localhost in a query'],
])('trace headers are not sent to %s: %s', (address) => {
  expect(carriesTrace(address)).toBe(false)
})

it('trace headers are not sent to the tunnel if the app is opened as 127.0.0.1', () => {
  expect(carriesTrace('/tunnel', 'http://127.0.0.1:3000/')).toBe(false)
})

it.each(['/404', '/_not-found', 'GET /404', 'GET /_not-found', 'POST /_not-found'])(
  'the name of a missing page matches %s',
  (name) => {
    expect(NOT_FOUND_NAME.test(name)).toBe(true)
  },
)

it.each(['/404s', '/a/404', 'GET /a/_not-found', 'get /404', 'GET /'])(
  'the name of a missing page does not match %s',
  (name) => {
    expect(NOT_FOUND_NAME.test(name)).toBe(false)
  },
)

it('the runtime contract has 17 settings with unique ids', () => {
  expect(CONTRACT).toHaveLength(17)
  expect(new Set(CONTRACT.map((setting) => setting.id)).size).toBe(17)
})

it('the runtime contract closes a child span after three heartbeats', () => {
  expect(CHILD_SPAN_TIMEOUT_MS).toBe(3 * HEARTBEAT_MS)
})

it('the runtime contract has the prefetch freshness of next.config.js', () => {
  expect(config.experimental?.staleTimes).toEqual({ dynamic: PREFETCH_DYNAMIC_S, static: PREFETCH_STATIC_S })
})

it('the runtime contract has no imports in values.ts, because every visitor downloads it', () => {
  const source = readFileSync(new URL('../../../../lib/contract/values.ts', import.meta.url), 'utf8')
  expect(source).not.toMatch(/^import\b/m)
})
