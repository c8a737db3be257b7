import { describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  digested,
  factAfter,
  newestSeq,
  postEnvelope,
  sharedCollector,
  startCollector,
  temporaryFolder,
} from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'
import { startCommand } from './run-process'

const shared = sharedCollector()

const run = (args: readonly string[], { url }: Pick<CollectorProcess, 'url'> = shared()) =>
  startCommand(args, { WAYSTATION_DATA: temporaryFolder(), WAYSTATION_COLLECTOR_URL: url }).ended

const clientReport = (dsn: string, reason: string, category: string, quantity: number): string =>
  [
    JSON.stringify({ dsn }),
    JSON.stringify({ type: 'client_report' }),
    JSON.stringify({ timestamp: 1_795_000_000, discarded_events: [{ reason, category, quantity }] }),
  ].join('\n')

/** The commands that an answer offers, without the name of the program. */
const calls = (answer: string): readonly string[] =>
  [...answer.matchAll(/`waystation ([^`]+)`/g)].map(([, call = '']) => call)

describe('mark, act, wait and compare', () => {
  it('says what changed since the mark, with calls that can be made as they stand', async () => {
    const collector = shared()
    const set = await run(['mark', 'start'])
    expect(set.out).toMatch(/^# Mark start is set\n/)
    expect(calls(set.out)).toEqual(['check --since start', 'compare start'])
    for (const message of ['old', 'both']) await postEnvelope(collector, errorEnvelope(collector.dsn, { message }).body)
    await postEnvelope(collector, transactionEnvelope(collector.dsn, { name: '/pay', children: 1 }).body)
    await run(['mark', 'fix'])
    for (const message of ['both', 'new']) await postEnvelope(collector, errorEnvelope(collector.dsn, { message }).body)
    await postEnvelope(collector, transactionEnvelope(collector.dsn, { name: '/pay', children: 3 }).body)
    await postEnvelope(collector, clientReport(collector.dsn, 'queue_overflow', 'error', 4))

    const compared = await run(['compare', 'start', 'fix'])
    expect(compared.err).toBe('')
    expect(compared.out).toMatch(/^# Differences: 2 errors, \d+ listed and not judged\n/)
    expect(compared.out).toContain('before: `start to fix` · 3 envelopes · 1 trace · 2 spans · 2 errors')
    expect(compared.out).toContain('after: `fix to now` · 4 envelopes · 1 trace · 4 spans · 2 errors')
    expect(compared.out).toContain('- new: `browser Error: new` (1)')
    expect(compared.out).toContain('- gone: `browser Error: old` (1)')
    expect(compared.out).toContain(
      'count: `browser http.client GET /api/*` in `browser pageload /pay`, 1 per trace, now 3',
    )
    expect(compared.out).toContain('`error` lost by sdk: 0, now 4 (`the queue of the SDK was full`)')
    for (const call of calls(compared.out)) expect((await run(call.split(' '))).code).not.toBe(2)
    expect((await run(['compare', 'fix', 'start'])).err).toContain('mark fix is later than mark start')
    expect((await run(['compare', 'fixx', 'start'])).code).toBe(2)
  })

  it('waits for an item or a pattern after the mark, and explains the nearest miss', async () => {
    const collector = shared()
    await run(['mark', 'wait-here'])
    const { traceId, body } = transactionEnvelope(collector.dsn, { name: '/waited', children: 1 })
    await postEnvelope(collector, body)
    const since = ['--since', 'wait-here', '--brief', '--timeout', '0.5']
    const found = await run(['wait', 'transaction', 'name=/waited', ...since])
    expect(found).toMatchObject({ code: 0, out: expect.stringContaining(`- trace: ${traceId}`) })
    const missed = await run(['wait', 'transaction', 'name=/wait', ...since])
    expect(missed).toMatchObject({ code: 1, out: expect.stringMatching(/^# Not found within 0\.5 s\n/) })
    expect(missed.out).toContain('- name: expected `"/wait"`: got `"/waited"`')
    expect(missed.out).toContain('name= matches the whole text, name~ matches a part of it')
    const pattern = await run(['wait', '--pattern', 'pageload /waited > http.client', ...since])
    expect(pattern).toMatchObject({ code: 0, out: expect.stringMatching(/^# Found\n/) })
    const near = await run(['expect', 'pageload /waited > db', ...since])
    expect(near).toMatchObject({ code: 1, out: expect.stringContaining('found 1 of 2: pageload /waited') })
    expect(calls(near.out)).toContain(`get ${traceId}`)
    const nothing = await run(['wait', 'feedback', '--brief', '--timeout', '0.1'])
    expect(nothing).toMatchObject({ code: 1, out: expect.stringMatching(/^# No feedback arrived within 0\.1 s\n/) })
    expect(nothing.out).toContain('- earlier telemetry does not count; set a mark before you act')
    const plain = await run(['wait', '--pattern', 'pageload /waited', '--since', 'wait-here', '--timeout', '0'])
    expect(plain).toMatchObject({ code: 0, out: 'pageload /waited\n' })
  })

  it('keeps exit codes and refuses --json with --brief', async () => {
    const collector = shared()
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    const usual = await run(['check'])
    const brief = await run(['check', '--brief'])
    expect(brief.code).toBe(usual.code)
    expect(brief.out).toMatch(/^# Check: fail\n/)
    expect(Buffer.byteLength(brief.out)).toBeLessThanOrEqual(12_000)
    expect((await run(['doctor', '--brief'])).out).toMatch(/^# (?:No check|\d+ checks?) failed\n/)
    expect(await run(['check', '--brief', '--json'])).toEqual({
      code: 2,
      out: '',
      err: '--brief and --json exclude each other\n',
    })
  })
})

describe('explain', () => {
  it('says why an item is a dead letter, and what upstream answered', async () => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
    await collectorClient(collector.url, fetch).play({ answers: [{ status: 413, times: 1 }] })
    const { body, eventId, traceId } = errorEnvelope(collector.dsn)
    await postEnvelope(collector, body)
    await factAfter(collector, 'delivered')
    await digested(collector, 1)
    for (const id of ['1', '1.0', eventId, traceId]) {
      const { code, out } = await run(['explain', id], collector)
      expect(out).toMatch(/^# Envelope 1(, item 0)?: dead letter\n/)
      expect(out).toContain('- item 0 `event`: dead letter')
      expect(out).toContain('- attempt 1: `413`, Upstream refused this envelope.')
      expect(out).toMatch(/Upstream: .*rejected 1 envelope \(dead letters\)/)
      expect(code).toBe(0)
    }
  })

  it('says why items were limited, and with which they were cut', async () => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
    const headers = { 'x-sentry-rate-limits': '60:transaction:key:quota' }
    await collectorClient(collector.url, fetch).play({ answers: [{ status: 429, headers, times: 1 }] })
    const { body } = transactionEnvelope(collector.dsn)
    await postEnvelope(collector, body)
    const first = await factAfter(collector, 'decided')
    const error = errorEnvelope(collector.dsn).body.split('\n').slice(1).join('\n')
    await postEnvelope(collector, `${transactionEnvelope(collector.dsn).body}\n${error}`)
    await factAfter(collector, 'decided', first)
    const limited = (await run(['explain', '1'], collector)).out
    expect(limited).toMatch(/^# Envelope 1: rate limited\n/)
    expect(limited).toContain('`upstream_429`: `upstream answered 429` · The limit ends on its own')
    expect(limited).toContain('X-Sentry-Rate-Limits: `60:transaction:key:quota`')
    const cut = (await run(['explain', '2'], collector)).out
    expect(cut).toContain('- item 0 `transaction`: rate limited · `limited`: `cut: upstream limits this category`')
    expect(cut).toContain('- item 1 `event`: accepted')
    expect(cut).toContain('## Altered\n\n- item 0 `transaction` was cut before posting')
  })

  it('of an error group says what became of each event, and without one that nothing is stored', async () => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
    await collectorClient(collector.url, fetch).play({ answers: [{ status: 413, times: 1 }] })
    const first = errorEnvelope(collector.dsn, { message: 'same' })
    await postEnvelope(collector, first.body)
    const refused = await factAfter(collector, 'delivered')
    const second = errorEnvelope(collector.dsn, { message: 'same' })
    await postEnvelope(collector, second.body)
    await factAfter(collector, 'delivered', refused)
    await digested(collector, 2)
    const { groups } = await collectorClient(collector.url, fetch).errors({ limit: 1 })
    const { code, out } = await run(['explain', groups[0]?.hash ?? ''], collector)
    expect(code).toBe(0)
    expect(out).toContain('`Error: same` · 2 events')
    expect(out).toMatch(new RegExp(`- event ${first.eventId} · envelope 1 · \\S+ · dead letter`))
    expect(out).toMatch(new RegExp(`- event ${second.eventId} · envelope 2 · \\S+ · accepted`))
  })

  it('says which values were scrubbed and that nothing is relayed', async () => {
    const collector = await startCollector({ WAYSTATION_SCRUB: 'on', WAYSTATION_SCRUB_STORE: 'on' })
    await postEnvelope(collector, errorEnvelope(collector.dsn, { message: 'Bearer abcdefghijklmnop1234567890' }).body)
    await digested(collector, 1)
    const { out } = await run(['explain', '1'], collector)
    expect(out).toMatch(/^# Envelope 1: kept\n/)
    expect(out).toContain('`local only: no upstream is set`')
    expect(out).toMatch(/- scrubbed before storing: `0\.exception\.values\.0\.value` by the rule \S+\n/)
  })

  it('names the losses of a category, and says that an unknown id is not stored', async () => {
    const collector = shared()
    await postEnvelope(collector, clientReport(collector.dsn, 'before_send', 'error', 2))
    await postEnvelope(collector, clientReport(collector.dsn, 'network_error', 'replay', 1))
    const seq = await newestSeq(collector)
    expect((await run(['explain', 'before_send'])).out).toContain(
      '2 `error`: `before_send`, `beforeSend or a similar function returned null`',
    )
    expect((await run(['explain', 'before_send'])).out).toMatch(
      /## Newest client reports about it\n\n- \S+ · `2` `error` · `before_send` · .*envelope: \d+\n/,
    )
    expect((await run(['explain', 'replay'])).out).toMatch(
      /1 `replay` lost by the SDK · `network_error`: `.+` · Check whether the page was closed/,
    )
    const gone = await run(['explain', 'f'.repeat(32)])
    expect(gone).toMatchObject({ code: 1, out: expect.stringMatching(/^# f{32} is not stored\n/) })
    expect(gone.out).toContain('## Lost\n')
    expect(await run(['explain', String(seq + 99)])).toMatchObject({
      code: expect.any(Number),
      err: expect.stringContaining(`no envelope ${seq + 99} is stored`),
    })
    expect(await run(['explain', 'no-such-thing'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('id must be an envelope number, an event, an error group, a trace'),
    })
  })

  it('without an id checks the path, and requests nothing of an app', async () => {
    const { out, code } = await run(['explain'])
    expect(out).toMatch(/^# (?:No check|\d+ checks?) failed\n/)
    expect(out).toContain('- Collector: ')
    expect(out).toContain('--app is not set.')
    expect(code).toBeLessThanOrEqual(1)
    const away = await run(['explain', '--url', 'http://127.0.0.1:9'])
    expect(away).toMatchObject({ code: 3, out: expect.stringContaining('No collector answers at http://127.0.0.1:9') })
  })
})
