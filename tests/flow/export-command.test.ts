import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OtlpSignal } from '../../lib/otlp/signals'
import type { CollectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  digestedUpTo,
  endCollectors,
  startCollector,
  temporaryFolder,
} from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'
import { clientOf, madeRequest, postOtlp } from './otlp-posts'
import { node, run, startCommand } from './run-process'

const DSN = `http://${'a'.repeat(32)}@127.0.0.1:8969/1`
const FIXTURES = join(import.meta.dirname, '../fixtures/envelopes')
const ENVELOPES = readdirSync(FIXTURES).filter((name) => name.endsWith('.envelope'))

const exported = (args: readonly string[], collector?: Pick<CollectorProcess, 'url'>) =>
  startCommand(['export', ...args], {
    WAYSTATION_DATA: temporaryFolder(),
    ...(collector !== undefined && { WAYSTATION_COLLECTOR_URL: collector.url }),
  }).ended

async function posted({ url }: CollectorProcess, body: string | Uint8Array): Promise<void> {
  const [header = '{}'] = Buffer.from(body).toString().split('\n', 1)
  const path = JSON.parse(header).dsn ? '/tunnel' : `/api/1/envelope/?sentry_key=${'a'.repeat(32)}`
  const answer = await fetch(`${url}${path}`, { method: 'POST', body: body as string })
  expect(answer.status, await answer.text()).toBe(200)
}

const linesOf = (out: string): readonly string[] => out.split('\n').filter((line) => line !== '')

/** All spans of a collector, without the fields that name where they arrived. */
async function spansOf(client: CollectorClient) {
  const all = []
  for (let cursor: string | null = null; ; ) {
    const page = await client.spans({ limit: 200, ...(cursor !== null && { cursor }) })
    all.push(...page.spans)
    cursor = page.next
    if (cursor === null) break
  }
  return all
    .map(({ traceId, spanId, parentSpanId, name, op, service, startUs, endUs, isSegment }) =>
      JSON.stringify({ traceId, spanId, parentSpanId, name, op, service, startUs, endUs, isSegment }),
    )
    .sort()
}

const SIGNALS: readonly (readonly [prefix: string, signal: OtlpSignal])[] = [
  ['{"resourceSpans":', 'traces'],
  ['{"resourceLogs":', 'logs'],
  ['{"resourceMetrics":', 'metrics'],
]

describe('waystation export', () => {
  let collector: CollectorProcess
  const trace = transactionEnvelope(DSN, { name: '/checkout', children: 3 })
  const otlp = madeRequest('traces', 'protobuf')
  beforeAll(async () => {
    collector = await startCollector()
    for (const name of ENVELOPES) await posted(collector, readFileSync(join(FIXTURES, name)))
    await posted(collector, trace.body)
    await posted(collector, errorEnvelope(DSN, { message: 'in the trace', traceId: trace.traceId }).body)
    for (const signal of ['logs', 'metrics'] as const)
      await postOtlp(collector, { signal, body: madeRequest(signal, 'json').body })
    await postOtlp(collector, { signal: 'traces', body: otlp.body, encoding: 'protobuf' })
    await digestedUpTo(collector, ENVELOPES.length + 5)
  }, 180_000)
  afterAll(endCollectors)

  it('writes OTLP that a second collector reads as the same spans, errors, logs and metrics', async () => {
    const { code, out, err } = await exported(['--format', 'otlp'], collector)
    expect(code, err).toBe(0)
    const lines = linesOf(out)
    expect(err).toMatch(
      new RegExp(`^Exported ${lines.length} requests of OTLP\\.\\nNot in OTLP: .*1 check-in.*\\.\\n$`),
    )
    const second = await startCollector()
    for (const line of lines) {
      const signal = SIGNALS.find(([prefix]) => line.startsWith(prefix))?.[1] ?? 'traces'
      const answer = await postOtlp(second, { signal, body: Buffer.from(line) })
      expect({ status: answer.status, body: await answer.text() }).toEqual({ status: 200, body: '{}' })
    }
    await digestedUpTo(second, lines.length)
    const [before, after] = [clientOf(collector), clientOf(second)]
    expect(await spansOf(after)).toEqual(await spansOf(before))
    const count = async (client: CollectorClient, kind: 'log' | 'metric') =>
      (await client.signals(kind, { limit: 200 })).signals.length
    const errors = (await before.events({ limit: 200 })).events.length
    expect(errors).toBeGreaterThan(5)
    expect(await count(after, 'log')).toBe((await count(before, 'log')) + errors)
    expect(await count(after, 'metric')).toBe(await count(before, 'metric'))
  }, 180_000)

  it('writes the lines of tail --json', async () => {
    const { code, out } = await exported(['--kind', 'error,log'], collector)
    expect(code).toBe(0)
    const tail = startCommand(['tail', '--since', '0', '--kind', 'error,log', '--json'], {
      WAYSTATION_DATA: temporaryFolder(),
      WAYSTATION_COLLECTOR_URL: collector.url,
    })
    const lines = linesOf(out)
    await tail.printed(JSON.parse(lines.at(-1) ?? '{}').spanId)
    tail.child.kill('SIGINT')
    expect(linesOf((await tail.ended).out)).toEqual(lines)
  })

  it('selects a trace, a service and kinds, and says what OTLP has no form for', async () => {
    const ofTrace = await exported(
      ['--trace', trace.traceId.toUpperCase(), '--kind', 'span,error,breadcrumb'],
      collector,
    )
    const kinds = linesOf(ofTrace.out).map((line) => JSON.parse(line).kind)
    expect(kinds).toEqual(['span', 'span', 'span', 'span', 'error', 'breadcrumb', 'breadcrumb'])
    const ofOtlp = await exported(['--trace', otlp.traceId, '--format', 'otlp'], collector)
    expect(linesOf(ofOtlp.out)).toHaveLength(1)
    expect(ofOtlp.out).toContain(`"spanId":"${otlp.spanId}"`)
    const python = await exported(['--service', 'nobody'], collector)
    expect(python).toMatchObject({ code: 0, out: '', err: 'Exported 0 items.\n' })
    const spans = await exported(['--format', 'otlp', '--kind', 'span'], collector)
    expect(spans.err).toMatch(/^Exported \d+ requests of OTLP\.\n$/)
    expect(linesOf(spans.out).every((line) => line.startsWith('{"resourceSpans":'))).toBe(true)
  })

  it('reads a saved run, and writes a file', async () => {
    const folder = temporaryFolder()
    const [saved, out] = [join(folder, 'out.waystation'), join(folder, 'out.ndjson')]
    const program = `fetch(process.env.WAYSTATION_COLLECTOR_URL + '/api/1/envelope/?sentry_key=' + 'a'.repeat(32), { method: 'POST', body: ${JSON.stringify(errorEnvelope(DSN).body)} }).then((answer) => process.exit(answer.ok ? 0 : 1))`
    expect((await run(['--no-check', '--save', saved, ...node(program)]).ended).code).toBe(0)
    const { code, err } = await exported([saved, '--out', out])
    expect({ code, err }).toEqual({ code: 0, err: `Exported 1 item in ${out}.\n` })
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ kind: 'error', title: 'Error: boom' })
  })

  it('says that the output cannot be written, and ends quietly when its reader does', async () => {
    const full = await exported(['--out', '/dev/full'], collector)
    expect(full).toMatchObject({ code: 3, err: '/dev/full cannot be written: the disk is full.\n' })
    const head = startCommand(['export', '--kind', 'span,item'], {
      WAYSTATION_DATA: temporaryFolder(),
      WAYSTATION_COLLECTOR_URL: collector.url,
    })
    head.child.stdout?.destroy()
    expect(await head.ended).toMatchObject({ code: 0, err: '' })
  })

  it.each([
    [['--format', 'xml'], '--format must be ndjson or otlp, got "xml"\n'],
    [['--format', 'otlp', '--kind', 'session'], 'OTLP has no "session"; known are span, log, metric, error\n'],
    [['--trace', 'abc'], '--trace must be a trace id of 32 hex digits, got "abc"\n'],
    [['a', 'b'], 'export reads one file or folder, got ["a","b"]\n'],
    [['a', '--url', 'http://127.0.0.1:1'], '--url names a running collector; remove it, or the file\n'],
  ])('refuses %s', async (args, err) => {
    expect(await exported(args)).toEqual({ code: 2, out: '', err })
  })

  it('exits with 3 for a missing file, and when no collector answers', async () => {
    expect(await exported(['missing.waystation'])).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringContaining('does not exist'),
    })
    expect(await exported(['--url', 'http://127.0.0.1:9'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('No collector answers'),
    })
  })
})
