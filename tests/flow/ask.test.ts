import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { askSources } from '../../collector/cli/ask/ask-sources'
import { MOST_ANSWER_BYTES } from '../../lib/ask/answer'
import { ask, type GivenArguments, verbNamed } from '../../lib/ask/verbs'
import { collectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  digestedUpTo,
  journalOf,
  newestSeq,
  postEnvelope,
  sharedCollector,
  startCollector,
  temporaryFolder,
} from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'
import { startCommand } from './run-process'

const shared = sharedCollector()
const FIXTURES = join(import.meta.dirname, '../fixtures/envelopes')
const FOLDER = temporaryFolder()

/** The answer of a verb, as a client of MCP reads it. */
async function answerOf(
  { url }: Pick<CollectorProcess, 'url'>,
  name: string,
  given: GivenArguments = {},
): Promise<string> {
  const verb = verbNamed(name)
  if (verb === undefined) throw new Error(`there is no verb ${name}`)
  const sources = askSources(
    { url, client: collectorClient(url, fetch), appUrl: null },
    { signal: new AbortController().signal, mostWaitMs: 1000, own: { NODE_ENV: 'test' }, folder: FOLDER },
  )
  return (await ask(verb, sources, given, { asker: 'mcp', raw: false })).text
}

async function posted(collector: CollectorProcess, bodies: readonly string[]): Promise<void> {
  for (const body of bodies) {
    const hasDsn = JSON.parse(body.split('\n', 1)[0] ?? '{}').dsn !== undefined
    const answer = hasDsn
      ? await postEnvelope(collector, body)
      : await fetch(`${collector.url}/api/1/envelope/?sentry_key=${'a'.repeat(32)}`, { method: 'POST', body })
    expect(answer.status, await answer.text()).toBe(200)
  }
  await digestedUpTo(collector, await newestSeq(collector))
}

/** The calls that an answer offers. */
const callsIn = (text: string): readonly (readonly [name: string, given: GivenArguments])[] =>
  [...text.matchAll(/`(\w+) (\{.*?\})`/g)].map(([, name = '', given = '{}']) => [name, JSON.parse(given)])
const callsOf = (text: string, name: string) => callsIn(text).flatMap(([verb, given]) => (verb === name ? [given] : []))

function expectBounded(text: string): void {
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST_ANSWER_BYTES)
  expect(text.match(/^# /gm)).toHaveLength(1)
  expect(text).not.toMatch(/undefined|NaN|\bnull\b(?![^`]*`)|## .*\n\n(?:##|$)/)
}

/** Every id that the pages of a search list. */
async function idsOf(kind: string, limit: number): Promise<readonly string[]> {
  const ids: string[] = []
  for (let given: GivenArguments = { kind, limit }; ; ) {
    const text = await answerOf(shared(), 'search', given)
    expectBounded(text)
    ids.push(...[...text.matchAll(/^- ([0-9a-f]{32}(?:\/[0-9a-f]{16})?|\d+) · /gm)].map(([, id = '']) => id))
    const next = callsOf(text, 'search').find(({ cursor }) => cursor !== undefined)
    if (next === undefined) return ids
    given = next
  }
}

beforeAll(async () => {
  const names = readdirSync(FIXTURES).filter((name) => name.endsWith('.envelope'))
  // As Latin-1, in which no byte of a recording is lost.
  const bodies = names
    .map((name) => readFileSync(join(FIXTURES, name), 'utf8'))
    .filter((body) => !body.includes('\ufffd'))
  expect(bodies.length).toBeGreaterThan(20)
  await posted(shared(), bodies)
})

describe('search', () => {
  it.each([
    ['traces', 7],
    ['spans', 40],
    ['errors', 2],
    ['envelopes', 100],
  ])('leads through all %s once by its cursors', async (kind, limit) => {
    const client = collectorClient(shared().url, fetch)
    const ids = await idsOf(kind, limit)
    expect(new Set(ids).size).toBe(ids.length)
    const stored = { traces: client.traces, spans: client.spans, errors: client.errors, envelopes: client.envelopes }
    let count = 0
    for (let cursor: string | null = null; ; ) {
      const page: { readonly next: string | null } = await stored[kind as keyof typeof stored]({ limit: 200, cursor })
      count += Object.values(page).find(Array.isArray)?.length ?? 0
      cursor = page.next
      if (cursor === null) break
    }
    expect(ids).toHaveLength(count)
    expect(ids.length).toBeGreaterThan(limit === 100 ? 20 : limit)
  })

  it('lists logs and metrics with their values', async () => {
    expect(await answerOf(shared(), 'search', { kind: 'logs', query: 'level:fatal' })).toMatch(
      /\n- 2026-11-20T10:58:43\.655Z · `fatal` · `f` · `browser` · trace: [0-9a-f]{32} · envelope: \d+\n/,
    )
    expect(await answerOf(shared(), 'search', { kind: 'metrics' })).toContain(' · `lat` · `187` `millisecond` · ')
  })

  it('finds only what arrived after a journal number, and says when nothing matches', async () => {
    const since = String(await journalOf(shared()))
    expect(await answerOf(shared(), 'search', { kind: 'traces', since })).toMatch(
      /\n- No trace matches; \d+ are stored\.\n/,
    )
    const trace = transactionEnvelope(shared().dsn, { name: '/fresh' })
    await posted(shared(), [trace.body])
    const text = await answerOf(shared(), 'search', { kind: 'traces', since })
    expect(text).toContain('- 1 trace, newest first; these are all\n')
    expect(text).toContain(`- ${trace.traceId} · \`pageload\` · \`/fresh\` · 1.50 s · 3 spans · \`browser\` · `)
  })

  it.each([
    [
      'traces',
      'opp:pageload',
      /opp:pageload: traces have no key opp; did you mean op\?.*Valid keys of traces: op, name/s,
    ],
    ['errors', 'duration:>1s', /errors have no key duration; .*Valid keys of errors: level, handled/s],
    ['spans', 'level:error', /spans have no key level\. Valid keys of spans: op,/],
    ['traces', 'status:broken', /status:broken: must be one of ok, error, unset/],
  ])('of %s refuses %s and names the valid keys', async (kind, query, message) => {
    await expect(answerOf(shared(), 'search', { kind, query })).rejects.toThrow(message)
  })

  it('lists 20 rows without a limit, and at most 100', async () => {
    const text = await answerOf(shared(), 'search', { kind: 'spans' })
    expect(text).toContain('- 20 spans, newest first; more follow\n')
    await expect(answerOf(shared(), 'search', { kind: 'spans', limit: 101 })).rejects.toThrow(
      'limit must be a whole number from 1 to 100, got 101',
    )
    await expect(answerOf(shared(), 'search', { kind: 'spans', query: 'x'.repeat(2001) })).rejects.toThrow(
      'query must be a text of at most 2000 characters',
    )
  })

  it('refuses a time that it cannot read', async () => {
    await expect(answerOf(shared(), 'search', { kind: 'traces', since: 'so soon' })).rejects.toThrow(
      /since must be now, a journal number, .* got "so soon"/,
    )
  })
})

describe('get', () => {
  it('answers for every trace, span, error group and envelope within the limit, and its next calls work', async () => {
    const ids = await Promise.all([idsOf('traces', 50), idsOf('errors', 50), idsOf('envelopes', 100)])
    const spans = (await idsOf('spans', 100)).slice(0, 20)
    for (const id of [...ids.flat(), ...spans]) {
      const text = await answerOf(shared(), 'get', { id })
      expectBounded(text)
      for (const call of callsOf(text, 'get').slice(0, 2)) expectBounded(await answerOf(shared(), 'get', call))
    }
  })

  it('shows of a large trace 96 spans, then all by its cursors', async () => {
    const made = transactionEnvelope(shared().dsn, { name: '/large', children: 300 })
    await posted(shared(), [made.body])
    const text = await answerOf(shared(), 'get', { id: made.traceId })
    expectBounded(text)
    expect(text).toContain('\n- 205 spans left out; ask with `get ')
    expect(text.match(/^ {2}- [0-9a-f]{16} · /gm)).toHaveLength(95)
    let all = 0
    for (let given: GivenArguments = { id: made.traceId, full: true }; ; ) {
      const page = await answerOf(shared(), 'get', given)
      expectBounded(page)
      all += page.match(/^ {2}- [0-9a-f]{16} · /gm)?.length ?? 0
      const next = callsOf(page, 'get').find(({ cursor }) => cursor !== undefined)
      if (next === undefined) break
      given = next
    }
    expect(all).toBe(300)
  })

  it('focuses on the spans below one', async () => {
    const traceId = 'e'.repeat(32)
    const above = transactionEnvelope(shared().dsn, { name: '/above', traceId, children: 4 })
    const below = transactionEnvelope(shared().dsn, {
      ...{ name: '/below', traceId, children: 2, parentSpanId: above.spanId, op: 'http.server' },
    })
    await posted(shared(), [above.body, below.body])
    const text = await answerOf(shared(), 'get', { id: traceId, focus: below.spanId })
    expect(text).toContain(`# Trace ${traceId}, below span ${below.spanId}\n`)
    expect(text).toContain(`\n- ${below.spanId} · \`http.server\` \`/below\` · `)
    expect(text).not.toContain(above.spanId)
    await expect(answerOf(shared(), 'get', { id: traceId, focus: 'f'.repeat(16) })).rejects.toThrow(
      `trace ${traceId} has no span ${'f'.repeat(16)}`,
    )
  })

  it('shows of an event 8 frames, those of the app first, the code of 2, and the newest 15 breadcrumbs', async () => {
    const made = errorEnvelope(shared().dsn, { message: 'deep', breadcrumbs: 40 })
    const [head = '', item = '', payload = '{}'] = made.body.split('\n')
    const event = JSON.parse(payload)
    const frames = Array.from({ length: 30 }, (_, index) => ({
      ...{ filename: `/srv/${index}.py`, function: `f${index}`, lineno: 7, in_app: index % 10 < 3 },
      ...{ context_line: `call(${index})`, pre_context: ['one'], post_context: ['two'] },
    }))
    event.platform = 'python'
    event.exception.values[0].stacktrace = { frames }
    await posted(shared(), [[head, item, JSON.stringify(event)].join('\n')])
    const text = await answerOf(shared(), 'get', { id: made.eventId })
    expectBounded(text)
    expect([...text.matchAll(/`f(\d+)` · at `/g)].map(([, index]) => Number(index))).toEqual([
      22, 21, 20, 12, 11, 10, 2, 1,
    ])
    expect(text).toContain('- 22 frames left out; ask with `get ')
    expect(text.match(/^> 7 call/gm)).toHaveLength(2)
    expect(text.match(/`step \d+`/g)).toHaveLength(15)
    expect(text).toContain('- 25 earlier breadcrumbs left out; ask with `get ')
    const [whole = {}] = callsOf(text, 'get').filter(({ full }) => full === true)
    const all = await answerOf(shared(), 'get', whole)
    expect(all.match(/`f\d+` · at `/g)?.length).toBeGreaterThan(8)
    expectBounded(all)
  })

  it('shows of a trace the 5 slowest spans, 12 levels of indentation, and the newest 10 logs', async () => {
    const made = transactionEnvelope(shared().dsn, { name: '/deep', children: 20 })
    const [head = '', item = '', payload = '{}'] = made.body.split('\n')
    const transaction = JSON.parse(payload)
    for (const [index, span] of transaction.spans.entries())
      if (index > 0) span.parent_span_id = transaction.spans[index - 1].span_id
    const logs = Array.from({ length: 14 }, (_, index) => ({
      ...{ timestamp: 1_795_000_000 + index, trace_id: made.traceId, level: 'info', body: `log ${index}` },
      attributes: {
        coupon: { value: `c${index}`, type: 'string' },
        'sentry.release': { value: 'shop@1', type: 'string' },
      },
    }))
    const container = { type: 'log', item_count: logs.length, content_type: 'application/vnd.sentry.items.log+json' }
    const sent = [JSON.parse(head), container, { items: logs }].map((part) => JSON.stringify(part)).join('\n')
    await posted(shared(), [[head, item, JSON.stringify(transaction)].join('\n'), sent])
    const text = await answerOf(shared(), 'get', { id: made.traceId })
    expectBounded(text)
    const slow = text.slice(text.indexOf('## Slowest'), text.indexOf('## Spans'))
    expect(slow.match(/^- /gm)).toHaveLength(5)
    const depths = [...text.matchAll(/^( *)- [0-9a-f]{16} /gm)].map(([, spaces = '']) => spaces.length / 2)
    expect([depths.length, Math.max(...depths)]).toEqual([21, 12])
    expect(text).not.toContain('`log 3`')
    expect(text).toContain('`log 13`')
    expect(text).toContain(' · `coupon`=`c13`\n')
    expect(text).toContain('- 4 earlier logs left out; ask with `get ')
  })

  it('sums repeated calls of a trace above its slowest spans, and leads to the first of them', async () => {
    const made = transactionEnvelope(shared().dsn, { name: '/loop', children: 6 })
    const [head = '', item = '', payload = '{}'] = made.body.split('\n')
    const transaction = JSON.parse(payload)
    for (const [index, span] of transaction.spans.entries())
      Object.assign(span, {
        ...{ op: 'db', description: `SELECT ${index}`, parent_span_id: transaction.contexts.trace.span_id },
        ...{ start_timestamp: 1_795_000_000 + index / 50, timestamp: 1_795_000_000 + (index + 1) / 50 },
      })
    await posted(shared(), [[head, item, JSON.stringify(transaction)].join('\n')])
    const text = await answerOf(shared(), 'get', { id: made.traceId })
    const first = `${made.traceId}/${transaction.spans[0].span_id}`
    expect(text).toContain(
      `## Repeated calls\n\n- 6 times \`db\` \`SELECT ?\` · 120 ms in total · one after the other (N+1) · below ${made.traceId}/${transaction.contexts.trace.span_id} · the first is ${first}\n`,
    )
    expect(text).toContain(`- \`get {"id":"${first}"}\``)
  })

  it.each([
    ['x', /id must be 32 hex digits of a trace, an event or an error group, .* got "x"/],
    [`${'a'.repeat(32)}/1`, /id must be 32 hex digits/],
    ['f'.repeat(32), /no trace, event or error group f{32} is stored/],
    [`${'f'.repeat(32)}/${'f'.repeat(16)}`, /no span f{32}\/f{16} is stored/],
    ['999999', /no envelope 999999 is stored/],
  ])('refuses the id %s', async (id, message) => {
    await expect(answerOf(shared(), 'get', { id })).rejects.toThrow(message)
  })
})

describe('status', () => {
  it('names programs, counts, and since a number also the verdict', async () => {
    const since = String(await journalOf(shared()))
    await posted(shared(), [errorEnvelope(shared().dsn, { message: 'new one' }).body])
    const text = await answerOf(shared(), 'status', { since })
    expectBounded(text)
    expect(text).toContain(
      `\n## Since journal number ${since}\n\n- 1 envelope · 1 trace · 0 spans · 1 error\n- Verdict: fail`,
    )
    expect(text).toContain('failed: No unexpected errors (errors) · `Error: new one`')
    expect(text).toContain('`sentry.javascript.nextjs 11.8.0`')
    const whole = await answerOf(shared(), 'status')
    expectBounded(whole)
    expect(whole).toMatch(/\n## Stored\n\n- \d+ envelopes · \d+ traces · /)
  })

  it('says what is wrong now, with its fix', async () => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
    const client = collectorClient(collector.url, fetch)
    await client.play({ answers: [{ status: 403 }] })
    await posted(collector, [errorEnvelope(collector.dsn).body])
    await expect.poll(async () => (await client.overview()).upstreams[0]?.state).toBe('paused')
    const text = await answerOf(collector, 'status')
    expect(text).toMatch(/\n## Wrong now\n\n- Upstream: `.*403.*` · fix: Is the DSN in WAYSTATION_UPSTREAM still valid/)
    expect(text).toContain(' · paused · 1 pending · last answer: 403')
  })

  it('of an empty collector says so, and names the DSN', async () => {
    const collector = await startCollector()
    const text = await answerOf(collector, 'status')
    expect(text).toContain('\n- Nothing has arrived yet.\n')
    expect(text).toContain(`\n- DSN for SDKs: ${collector.dsn}\n`)
  })
})

describe('the commands', () => {
  const run = (words: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) =>
    startCommand(words, { WAYSTATION_DATA: cwd, ...env }, undefined, cwd).ended

  it('find the collector of the folder by its address file, and scrub unless the answer is raw', async () => {
    const project = temporaryFolder()
    const data = join(project, '.waystation')
    mkdirSync(data)
    writeFileSync(join(project, 'package.json'), '{}')
    const collector = await startCollector({}, data)
    const { body, eventId } = errorEnvelope(collector.dsn, { message: 'login with password=hunter2hunter2' })
    await posted(collector, [body])
    const found = await run(['get', eventId], project)
    expect(found).toMatchObject({ code: 0, err: '' })
    expect(found.out).toContain('`Error: login with password=[Filtered]`')
    expect(found.out).not.toContain('hunter2')
    expect(found.out).toContain(`\n- \`waystation get ${eventId} --full\`\n`)
    expect((await run(['get', eventId, '--raw'], project)).out).toContain('password=hunter2hunter2')
    expect(await run(['get', 'f'.repeat(32)], project)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('is stored: it has not arrived'),
    })
    expect(await run(['search', 'trace'], project)).toMatchObject({
      code: 2,
      err: 'kind must be one of traces, spans, errors, logs, metrics, envelopes, got "trace"\n',
    })
    expect((await run(['status', '--help'], project)).out).toMatch(/^waystation status \[FLAG…\]\n/)
    expect(await collector.stop()).toBe(0)
    expect(existsSync(join(data, 'address.json'))).toBe(false)
    const none = await run(['status'], project, { WAYSTATION_COLLECTOR_URL: collector.url })
    expect(none).toMatchObject({
      code: 3,
      err: expect.stringContaining(`No collector answers at ${collector.url}. Start one`),
    })
  })
})
