import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { buildShop, frameAt, project, SENT_AT } from '../unit/maps/built-app'
import { digestedUpTo, endCollectors, newestSeq, postEnvelope, startCollector } from './collector-process'
import { startCommand } from './run-process'

afterEach(endCollectors)

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/agents.md'), 'utf8')
/** The verbs whose answers are those of the shop below. */
const SHOWN = /^waystation (?:status|search|get) /

/** The commands of the page, each with the answer below it. */
const examples = [...PAGE.matchAll(/```sh\n([^\n]+)\n```\n\n````md\n(.+?)\n````/gs)]
  .map(([, command = '', answer = '']) => ({ command, answer }))
  .filter(({ command }) => SHOWN.test(`${command} `))

const TRACE = '4d1f6e0a9c5b4f3e8a7d2c1b0e9f8a7d'
const EVENT = 'c0ffee00c0ffee00c0ffee00c0ffee00'
const PAGE_LOAD = 'a1b2c3d4e5f60718'
const ORDER = 'b1b2c3d4e5f60718'
const REQUEST = 'c1b2c3d4e5f60718'
const at = (ms: number): number => SENT_AT / 1000 + ms / 1000

const span = (id: string, op: string, description: string, [from, until]: readonly [number, number], of = {}) => ({
  ...{ span_id: id, trace_id: TRACE, op, description, start_timestamp: at(from), timestamp: at(until), status: 'ok' },
  ...of,
})
const envelope = (dsn: string, sdk: string, item: { readonly type: string }, payload: object): string =>
  [{ event_id: EVENT, dsn, sdk: { name: `sentry.javascript.${sdk}`, version: '11.8.0' } }, item, payload]
    .map((part) => JSON.stringify(part))
    .join('\n')

/** A checkout whose order fails: the page, the request that it waits for, and the error. */
function checkout(dsn: string, script: string): readonly string[] {
  const about = { environment: 'development', release: 'shop@1.4.0' }
  const page = {
    ...{ type: 'transaction', event_id: 'd'.repeat(32), platform: 'javascript', transaction: '/checkout', ...about },
    ...{ start_timestamp: at(0), timestamp: at(1460) },
    contexts: { trace: { trace_id: TRACE, span_id: PAGE_LOAD, op: 'pageload', status: 'ok' } },
    spans: [
      span('a2b2c3d4e5f60718', 'http.client', 'GET /api/cart', [40, 71], { parent_span_id: PAGE_LOAD }),
      span(ORDER, 'http.client', 'POST /api/order', [90, 1390], {
        parent_span_id: PAGE_LOAD,
        status: 'internal_error',
      }),
    ],
  }
  const request = {
    ...{ type: 'transaction', event_id: 'e'.repeat(32), platform: 'node', transaction: 'POST /api/order', ...about },
    ...{ start_timestamp: at(96), timestamp: at(1380) },
    contexts: {
      trace: {
        ...{ trace_id: TRACE, span_id: REQUEST, parent_span_id: ORDER, op: 'http.server', status: 'internal_error' },
      },
    },
    spans: [
      span('c2b2c3d4e5f60718', 'db.query', 'SELECT price FROM items WHERE id = ?', [101, 109], {
        parent_span_id: REQUEST,
      }),
      span('c3b2c3d4e5f60718', 'db.query', 'UPDATE stock SET held = held + ?', [112, 1350], {
        parent_span_id: REQUEST,
      }),
    ],
  }
  const { line, column } = frameAt(readFileSync(script, 'utf8'), '', 'new Error')
  const error = {
    ...{
      event_id: EVENT,
      platform: 'javascript',
      timestamp: at(1400),
      transaction: '/checkout',
      level: 'error',
      ...about,
    },
    exception: {
      values: [
        {
          ...{ type: 'Error', value: 'declined', mechanism: { type: 'onunhandledrejection', handled: false } },
          stacktrace: {
            frames: [
              { filename: 'app:///_next/static/cart.js', function: 'o', lineno: line, colno: column, in_app: true },
            ],
          },
        },
      ],
    },
    breadcrumbs: [
      { timestamp: at(85), category: 'ui.click', message: 'form > button.pay' },
      { timestamp: at(1390), category: 'fetch', data: { method: 'POST', url: '/api/order', status_code: 500 } },
    ],
    contexts: { trace: { trace_id: TRACE, span_id: ORDER } },
  }
  return [
    envelope(dsn, 'nextjs', { type: 'transaction' }, page),
    envelope(dsn, 'node', { type: 'transaction' }, request),
    envelope(dsn, 'nextjs', { type: 'event' }, error),
  ]
}

it('the answers in docs/agents.md are those of the commands', async () => {
  const folder = project()
  const script = await buildShop(folder, '.next/static/cart.js')
  const collector = await startCollector({ WAYSTATION_SOURCE_MAPS: folder })
  for (const body of checkout(collector.dsn, script)) expect((await postEnvelope(collector, body)).status).toBe(200)
  await digestedUpTo(collector, await newestSeq(collector))
  const shown = (out: string): string =>
    out
      .replaceAll(collector.url, 'http://127.0.0.1:8969')
      .replaceAll(new URL(collector.url).host, '127.0.0.1:8969')
      .replaceAll('http://localhost:3000', 'http://127.0.0.1:8969')
      .replaceAll(folder, '/home/you/shop')
      .replace(/Journal: \d+/, 'Journal: 8')
      .replaceAll(/\d+ \w+(?: \d+ \w+)? ago/g, '3 s ago')
      .trimEnd()
  expect(examples.length).toBeGreaterThanOrEqual(4)
  for (const { command, answer } of examples) {
    const words = command
      .split(' ')
      .slice(1)
      .map((word) => word.replaceAll("'", ''))
    const env = { WAYSTATION_COLLECTOR_URL: collector.url, WAYSTATION_DATA: folder }
    const { out } = await startCommand(words, env, undefined, folder).ended
    expect(shown(out), command).toBe(answer)
  }
})
