import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  journalOf,
  postEnvelope,
  sharedCollector,
  startCollector,
  temporaryFolder,
} from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'
import { startCommand } from './run-process'

const shared = sharedCollector()

/** A project: a folder with a package.json. */
function project(config?: string): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'package.json'), '{}')
  if (config !== undefined) writeFileSync(join(folder, 'waystation.config.ts'), config)
  return folder
}

const check = (args: readonly string[], { url }: Pick<CollectorProcess, 'url'>, cwd = project(), env = {}) =>
  startCommand(
    ['check', ...args],
    { WAYSTATION_DATA: temporaryFolder(), WAYSTATION_COLLECTOR_URL: url, ...env },
    undefined,
    cwd,
  ).ended

/** Flags that select what arrives from now on. */
const fromNow = async (): Promise<readonly string[]> => ['--since', String(await journalOf(shared()))]

/** Posts a transaction that passes all rules. */
async function goodTransaction(collector: CollectorProcess, headers: Record<string, string> = {}): Promise<void> {
  const now = Date.now() / 1000
  const made = transactionEnvelope(collector.dsn, { children: 1 })
  const [head = '', item = '', payload = '{}'] = made.body.split('\n')
  const body = { ...JSON.parse(payload), release: 'shop@1', start_timestamp: now - 1, timestamp: now, spans: [] }
  await postEnvelope(collector, sentNow([head, item, JSON.stringify(body)].join('\n')), headers)
}

/** The envelope with the time as its `sent_at`: an older one fails `clock-skew`. */
function sentNow(envelope: string): string {
  const [head = '', ...items] = envelope.split('\n')
  return [JSON.stringify({ ...JSON.parse(head), sent_at: new Date().toISOString() }), ...items].join('\n')
}

describe('waystation check', () => {
  it('is incomplete without a recording, passes a good one, and fails on an unexpected error, whose link it prints', async () => {
    const collector = await startCollector()
    const nothing = await check([], collector)
    expect(nothing).toMatchObject({ code: 3, out: expect.stringContaining('? Telemetry check is incomplete') })
    expect(nothing.out).toMatch(
      /\n {4}No telemetry was recorded\n\n\? Telemetry check is incomplete: nothing was recorded\n$/,
    )
    await goodTransaction(collector, { 'x-waystation-stamp': 'mine' })
    const passed = await check([], collector)
    expect(passed.out).toMatch(
      /✓ Telemetry check passed: \d+ of \d+ checks[^\n]*\n {4}Checked 1 envelope with 1 item\n/,
    )
    expect(passed).toMatchObject({ code: 0, err: '' })
    const { body, eventId } = errorEnvelope(collector.dsn, { message: 'unforeseen' })
    await postEnvelope(collector, body, { 'x-waystation-stamp': 'yours' })
    const { code, out } = await check([], collector)
    expect(out).toContain('✗ No unexpected errors (errors)\n    Error: unforeseen\n')
    expect(out).toContain(`open      http://localhost:3000/events/${eventId}\n`)
    expect(out).toMatch(/\n✗ Telemetry check failed: Error: unforeseen: .*\n$/)
    expect(code).toBe(1)
    const quiet = await check(['--quiet', '--stamp', 'mine'], collector)
    expect(quiet.out).toMatch(/^\n✓ Telemetry check passed: .*\n$/)
    const mine = await check(['--stamp', 'mine', '--json'], collector)
    expect(JSON.parse(mine.out)).toMatchObject({ verdict: 'pass', from: { submissions: 1, stamp: 'mine' } })
    expect(mine.code).toBe(0)
  })

  it('judges items since a time, and selected rules', async () => {
    const collector = shared()
    const after = await journalOf(collector)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await goodTransaction(collector)
    expect((await check(['--since', '10m'], collector)).code).toBe(1)
    const { recorded } = await collectorClient(collector.url, fetch).recorded({ after })
    const first = recorded[0]?.journal
    expect((await check(['--since', String(first)], collector)).code).toBe(0)
    expect((await check(['--rules', 'missing-release'], collector)).code).toBe(0)
    expect((await check(['--rules', 'losses', '--since', String(first)], collector)).code).toBe(0)
  })

  it.each([
    ['fails because of a dead letter', { status: 400 }, 1, /1 refused by upstream with 400: a dead letter/],
    [
      'is incomplete because of pending envelopes, and prints the reason first',
      { status: 403 },
      3,
      /incomplete[^\n]*\n *reason: the required check losses is incomplete:[^✓]*answers 403/,
    ],
  ])('%s, also for a part of the recording', async (_what, answer, code, pattern) => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
    const client = collectorClient(collector.url, fetch)
    await client.play({ answers: [answer] })
    await goodTransaction(collector)
    const isAnswered = async () => (await client.envelopes()).envelopes.every(({ deliveries }) => deliveries > 0)
    await expect.poll(isAnswered).toBe(true)
    expect(await check(['--since', '10m'], collector)).toMatchObject({ code, out: expect.stringMatching(pattern) })
    expect(await check([], collector)).toMatchObject({ code, out: expect.stringMatching(pattern) })
  })

  it('uses the configuration; flags override it', async () => {
    const collector = shared()
    const since = await fromNow()
    await goodTransaction(collector)
    await postEnvelope(collector, sentNow(errorEnvelope(collector.dsn, { message: 'known one' }).body))
    const cwd = project(`
      import { defineConfig } from 'waystation/config'
      const until: string = '2999-01-01'
      export default defineConfig({ allow: [{ error: /known/, until, why: 'old' }], budgets: { durations: { '/checkout': 500 } } })`)
    const slow = await check(since, collector, cwd)
    expect(slow).toMatchObject({ code: 1, out: expect.stringMatching(/\/checkout takes at most 500 ms.*\n/) })
    writeFileSync(join(cwd, 'budget.json'), '{ "durations": { "/checkout": 5000 } }')
    const slower = await check([...since, '--budget', 'budget.json'], collector, cwd)
    expect(slower).toMatchObject({ code: 0, out: expect.stringContaining('1 known failure not counted') })
    writeFileSync(join(cwd, 'other.mjs'), `export default { errors: 'ignore', rules: { 'unhandled-errors': 'off' } }`)
    const other = [...since, '--config', 'other.mjs']
    expect((await check(other, collector, cwd)).code).toBe(0)
    // The error has no release.
    expect((await check([...other, '--severity', 'warning'], collector, cwd)).code).toBe(1)
  })

  it.each([
    [['--rules', 'orphan'], undefined, '--rules: "orphan" is not a rule; did you mean orphans?\n'],
    [['--budget', 'none.json'], undefined, '--budget none.json: there is no such file.\n'],
    [['--budget', '.'], undefined, '--budget .: it is a folder.\n'],
    [['--write-baseline', '.'], undefined, '--write-baseline . cannot be written: it is a folder.\n'],
    [['--junit', '.'], undefined, '--junit . cannot be written: it is a folder.\n'],
    [['--junit', 'no/x.xml'], undefined, /^--junit no\/x\.xml cannot be written: there is no \/\S+\/no\.\n$/],
    [
      ['--baseline', 'none.json'],
      undefined,
      '--baseline none.json: there is no such file; create it with --write-baseline none.json.\n',
    ],
    [['--config', 'none.ts'], undefined, '--config none.ts: there is no such file.\n'],
    [
      [],
      'export default { alow: [] }',
      'waystation.config.ts: alow is not a configuration field; did you mean allow?\n',
    ],
    [[], 'export default { errors: 7 }', "waystation.config.ts: errors must be 'fail', 'warn' or 'ignore', got 7.\n"],
    [[], 'export default {', /^waystation\.config\.ts cannot be read: line 1: /],
    [[], 'process.exit(0)', /^waystation\.config\.ts exits with 0 before it exports anything/],
    [['now'], undefined, 'unknown argument "now"; check takes only flags, see --help\n'],
  ])('exits with 2 for %j with the configuration %j, before it queries a collector', async (args, config, sentence) => {
    const ended = await check(args, { url: 'http://127.0.0.1:9' }, project(config))
    expect(ended).toMatchObject({ code: 2, out: '' })
    expect(ended.err).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence))
  })

  it('prints output of the configuration on stderr', async () => {
    const cwd = project(`console.log('from the configuration')\nexport default { allow: [] }`)
    const { out, err } = await check([...(await fromNow()), '--json'], shared(), cwd)
    expect(JSON.parse(out)).toMatchObject({ verdict: 'incomplete' })
    expect(err).toContain('from the configuration\n')
  })

  it('exits with 3 when no collector answers', async () => {
    const ended = await check([], { url: 'http://127.0.0.1:9' })
    expect(ended).toMatchObject({ code: 3, out: '', err: expect.stringContaining('No collector answers at') })
  })

  it('ignores the failures of a written baseline, and no others', async () => {
    const collector = shared()
    const cwd = project()
    const since = await fromNow()
    const [args, write] = [
      [...since, '--baseline', 'known.json'],
      [...since, '--write-baseline', 'known.json'],
    ]
    expect((await check(write, collector, cwd)).code).toBe(3)
    expect(existsSync(join(cwd, 'known.json'))).toBe(false)
    await postEnvelope(collector, errorEnvelope(collector.dsn, { message: 'old' }).body)
    const written = await check(write, collector, cwd)
    expect(written).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^known\.json is written with \d known failures?\.\n/),
      out: expect.not.stringContaining('Telemetry check failed'),
    })
    expect((await check(args, collector, cwd)).code).toBe(0)
    await postEnvelope(collector, errorEnvelope(collector.dsn, { message: 'new' }).body)
    const { code, out } = await check(args, collector, cwd)
    expect(code).toBe(1)
    expect(out).toContain('Error: new\n')
    expect(out).not.toContain('Error: old\n')
  })

  it('warns about attributes of OpenTelemetry, and fails when the configuration says so', async () => {
    const collector = shared()
    const conventions = [...(await fromNow()), '--rules', 'conventions']
    const now = BigInt(Date.now()) * 1_000_000n
    const span = {
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      name: 'GET',
      kind: 3,
      startTimeUnixNano: String(now - 50_000_000n),
      endTimeUnixNano: String(now),
      attributes: [{ key: 'http.method', value: { stringValue: 'GET' } }],
    }
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'checkout' } }] }
    const sent = await fetch(`${collector.url}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }),
    })
    expect(sent.status).toBe(200)
    const plain = await check(conventions, collector)
    expect(plain.out).toContain('! http.method of checkout: deprecated, sent 1 time (conventions)\n')
    expect(plain.code).toBe(0)
    const cwd = project(`export default { rules: { conventions: 'error' } }\n`)
    const strict = await check(conventions, collector, cwd)
    expect(strict.code).toBe(1)
    expect(strict.out).toContain('actual    deprecated, sent 1 time')
  })

  it('writes JUnit and JSON, and annotations and a step summary in GitHub Actions', async () => {
    const collector = shared()
    const since = await fromNow()
    await postEnvelope(collector, errorEnvelope(collector.dsn, { message: 'for 100 % of all' }).body)
    const cwd = project()
    const github = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') }
    const args = [...since, '--junit', 'junit.xml', '--report', 'report.json']
    const { code, err } = await check(args, collector, cwd, github)
    expect(code).toBe(1)
    expect(err).toMatch(
      /^::error title=No unexpected errors \(errors\)::Error: for 100 %25 of all: expected no unexpected errors, got error, /m,
    )
    expect(readFileSync(github.GITHUB_STEP_SUMMARY, 'utf8')).toContain('## Telemetry check failed')
    expect(readFileSync(join(cwd, 'junit.xml'), 'utf8')).toMatch(/^<\?xml .*\n<testsuites name="waystation">/)
    expect(JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'))).toMatchObject({ verdict: 'fail' })
    expect(await check(['--junit', 'no/such/folder.xml'], collector, cwd)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--junit no/such/folder.xml cannot be written'),
    })
  })
})
