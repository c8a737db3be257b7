import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  digestedUpTo,
  endCollectors,
  factAfter,
  newestSeq,
  postEnvelope,
  startCollector,
  temporaryFolder,
} from './collector-process'
import { startCommand } from './run-process'

afterEach(endCollectors)

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/agents.md'), 'utf8')
const SHOWN = /^waystation (?:mark|wait|check|compare|explain)\b/

/** The commands of the page, in the order in which its reader types them, each with the answer below it. */
const examples = [...PAGE.matchAll(/```sh\n([^\n]+)\n```\n\n````md\n(.+?)\n````/gs)]
  .map(([, command = '', answer = '']) => ({ command, answer }))
  .filter(({ command }) => SHOWN.test(command))

const EVENT = 'feed0000feed0000feed0000feed0000'
const ABOUT = { environment: 'development', release: 'shop@1.4.0' }

const envelope = (dsn: string, sdk: string, type: string, payload: object): string =>
  [{ dsn, sdk: { name: `sentry.javascript.${sdk}`, version: '11.8.0' } }, { type }, payload]
    .map((part) => JSON.stringify(part))
    .join('\n')

/** A checkout: the page, its request with so many queries, and an error if it fails. @param n distinguishes its ids */
function checkout(dsn: string, n: number, queries: number, fails: boolean): readonly string[] {
  const begin = Math.floor(Date.now() / 1000) - 5
  const at = (ms: number): number => begin + ms / 1000
  const id = (letter: string, digits: number): string => `${letter}${n}`.padEnd(digits, '0')
  const trace = { trace_id: id('a', 32) }
  const span = (spanId: string, parent: string, op: string, description: string, from: number, until: number) => ({
    ...{ ...trace, span_id: spanId, parent_span_id: parent, op, description, status: 'ok' },
    ...{ start_timestamp: at(from), timestamp: at(until) },
  })
  const query = (index: number) =>
    span(
      `d${n}${index}`.padEnd(16, '0'),
      id('c', 16),
      'db',
      'SELECT price FROM items WHERE id = $1',
      100 + 20 * index,
      118 + 20 * index,
    )
  const page = {
    ...{ type: 'transaction', event_id: id('1', 32), platform: 'javascript', transaction: '/checkout', ...ABOUT },
    ...{ start_timestamp: at(0), timestamp: at(600) },
    contexts: { trace: { ...trace, span_id: id('b', 16), op: 'pageload', status: 'ok' } },
    spans: [span(id('e', 16), id('b', 16), 'http.client', 'POST /api/order', 60, 400)],
  }
  const request = {
    ...{ type: 'transaction', event_id: id('2', 32), platform: 'node', transaction: 'POST /api/order', ...ABOUT },
    ...{ start_timestamp: at(80), timestamp: at(380) },
    contexts: {
      trace: { ...trace, span_id: id('c', 16), parent_span_id: id('e', 16), op: 'http.server', status: 'ok' },
    },
    spans: Array.from({ length: queries }, (_, index) => query(index)),
  }
  const frame = { filename: '/srv/shop/order.js', function: 'createOrder', lineno: 42, colno: 18, in_app: true }
  const value = "Cannot read properties of undefined (reading 'total')"
  const mechanism = { type: 'auto.http.express', handled: false }
  const error = {
    ...{
      event_id: EVENT,
      platform: 'node',
      timestamp: at(300),
      transaction: 'POST /api/order',
      level: 'error',
      ...ABOUT,
    },
    exception: { values: [{ type: 'TypeError', value, mechanism, stacktrace: { frames: [frame] } }] },
    contexts: { trace: { ...trace, span_id: id('c', 16) } },
  }
  return [
    envelope(dsn, 'browser', 'transaction', page),
    envelope(dsn, 'node', 'transaction', request),
    ...(fails ? [envelope(dsn, 'node', 'event', error)] : []),
  ]
}

/** Three checkouts. The last broken one has an error, which upstream refuses. */
async function act(collector: CollectorProcess, first: number, isBroken: boolean): Promise<void> {
  for (const n of [first, first + 1, first + 2]) {
    const fails = isBroken && n === first + 2
    for (const body of checkout(collector.dsn, n, isBroken ? 4 : 1, fails)) {
      const { journal } = await collectorClient(collector.url, fetch).overview()
      expect((await postEnvelope(collector, body)).status).toBe(200)
      await factAfter(collector, 'delivered', journal)
    }
  }
  await digestedUpTo(collector, await newestSeq(collector))
}

it('the answers about marks, waits, verdicts and deliveries in docs/agents.md are those of the commands', async () => {
  const collector = await startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
  const answers = [{ status: 413, times: 1, categories: ['error'], body: '{"detail":"envelope too large"}' }]
  await collectorClient(collector.url, fetch).play({ answers })
  const shown = (out: string): string =>
    out
      .replaceAll(/journal number \d+/g, 'journal number 40')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-27T10:00:00.000Z')
      .replaceAll(collector.url, 'http://127.0.0.1:8969')
      .replaceAll(new URL(collector.url).host, '127.0.0.1:8969')
      .replaceAll(/127\.0\.0\.1:(?!8969)\d+/g, '127.0.0.1:9000')
      .replaceAll(/the last \d+ s ago/g, 'the last 3 s ago')
      .trimEnd()
  const folder = temporaryFolder()
  expect(examples.length).toBe(8)
  for (const { command, answer } of examples) {
    const [, ...words] = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
    const env = { WAYSTATION_COLLECTOR_URL: collector.url, WAYSTATION_DATA: folder }
    const { out } = await startCommand(words, env, undefined, folder).ended
    expect(shown(out), command).toBe(answer)
    if (words[0] === 'mark') await act(collector, words[1] === 'fix' ? 4 : 1, words[1] !== 'fix')
  }
})
