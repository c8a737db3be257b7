import { afterEach, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  factAfter,
  journalOf,
  newestSeq,
  postEnvelope,
  sharedCollector,
  startCollector,
  temporaryFolder,
} from './collector-process'
import { errorEnvelope, spanEnvelope, transactionEnvelope } from './envelopes'
import { type NodeSdkProgram, startNodeSdkProgram } from './node-sdk-program'
import { type RunningCommand, startCommand } from './run-process'

const programs = new Set<NodeSdkProgram>()
afterEach(() => {
  for (const one of programs) one.end()
  programs.clear()
})
const shared = sharedCollector()
/** Flags that select what arrives from now on. */
const fromNow = async (): Promise<readonly string[]> => ['--since', String(await journalOf(shared()))]

const run = (args: readonly string[], { url }: Pick<CollectorProcess, 'url'>, env = {}): RunningCommand =>
  startCommand(args, { WAYSTATION_DATA: temporaryFolder(), WAYSTATION_COLLECTOR_URL: url, ...env })

async function program(collector: CollectorProcess): Promise<NodeSdkProgram> {
  const started = await startNodeSdkProgram(collector.dsn)
  programs.add(started)
  return started
}

describe('waystation wait', () => {
  it('prints an item of a real SDK as soon as it arrives, or the whole item as JSON, and exits with 0', async () => {
    const collector = shared()
    const since = await fromNow()
    const sdk = await program(collector)
    await sdk.cause('error')
    const waiting = run(['wait', 'transaction', 'name=work', 'service=server', ...since], collector)
    await sdk.cause('transaction')
    const { code, out, err } = await waiting.ended
    expect(out).toMatch(/^\d\d:\d\d:\d\d\.\d{3} server {3}transaction {3}work \(.*s\) #\d+ ● kept\n$/)
    expect(err).toMatch(/^open http:\/\/localhost:3000\/traces\/[0-9a-f]{32}\n$/)
    expect(code).toBe(0)
    const error = await run(['wait', 'error', 'title~from node', '--since', '1h', '--json'], collector).ended
    expect(JSON.parse(error.out)).toMatchObject({ kind: 'error', title: 'Error: from node', service: 'server' })
    expect(error.code).toBe(0)
  })

  it('ignores earlier items without --since', async () => {
    const collector = shared()
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    expect(await run(['wait', 'error', '--timeout', '0.2'], collector).ended).toEqual({
      code: 1,
      out: '',
      err: 'No error arrived within 0.2 s, and no other error.\nEarlier items do not count; include them with --since 0 or --since 5m.\n',
    })
  })

  it('prints the nearest item and exits with 1 when the item does not arrive', async () => {
    const collector = shared()
    const since = await fromNow()
    for (const name of ['/cart', '/checkout/pay'])
      await postEnvelope(collector, transactionEnvelope(collector.dsn, { name }).body)
    const args = ['wait', 'transaction', 'op=pageload', 'name=/checkout', ...since, '--timeout', '0.5']
    const { code, out, err } = await run(args, collector).ended
    expect(err).toMatch(
      /^No transaction op=pageload name=\/checkout arrived within 0\.5 s\. The nearest of 2 that arrived is pageload \/checkout\/pay:\n {2}name {2}expected "\/checkout", got "\/checkout\/pay"\n {2}name= matches the whole text, name~ matches a part of it\n {2}open http:\/\/localhost:3000\/traces\/[0-9a-f]{32}\n$/,
    )
    expect({ code, out }).toEqual({ code: 1, out: '' })
  })

  it('selects items by a stamp and its traces', async () => {
    const collector = shared()
    const stamped = (stamp: string) => ({ 'x-waystation-stamp': stamp })
    await postEnvelope(collector, errorEnvelope(collector.dsn, { message: 'yours' }).body, stamped('yours'))
    const { traceId, body } = transactionEnvelope(collector.dsn)
    await postEnvelope(collector, errorEnvelope(collector.dsn, { message: 'of the server', traceId }).body)
    await postEnvelope(collector, body, stamped('mine'))
    const mine = ['--stamp', 'mine', '--since', '0', '--timeout', '5']
    expect((await run(['wait', 'error', ...mine], collector).ended).out).toContain('Error: of the server')
    const none = await run(['wait', 'error', 'title~yours', ...mine.with(-1, '0.3')], collector).ended
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('The nearest of 1 that arrived') })
  })

  it('exits with 3 when no collector answers, and with 2 for wrong arguments', async () => {
    const collector = await startCollector()
    const away = await run(['wait', 'log', '--url', 'http://127.0.0.1:9'], collector).ended
    expect(away).toMatchObject({
      code: 3,
      err: expect.stringMatching(
        /^No collector answers at http:\/\/127\.0\.0\.1:9: start one .* waystation run has its own collector; its first line on stderr contains the address\.$/m,
      ),
    })
    const waiting = run(['wait', 'error', '--since', '0', '--json', 'message=never'], collector)
    const tail = run(['tail', '--since', '0'], collector)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await tail.printed('Error: boom')
    await collector.kill()
    expect(await waiting.ended).toMatchObject({ code: 3, out: '' })
    expect(await tail.ended).toMatchObject({ code: 3, err: expect.stringContaining('No collector answers at') })
    expect(await run(['wait', 'error', 'titel=x'], collector).ended).toEqual({
      code: 2,
      out: '',
      err: 'titel=x: unknown field titel of error; did you mean title?\n',
    })
    expect(await run(['wait', 'eror'], collector).ended).toEqual({
      code: 2,
      out: '',
      err: 'unknown kind "eror"; did you mean error?\n',
    })
  })

  it('exits with 3 soon after its timeout when a collector accepts connections but does not answer', async () => {
    const collector = await startCollector()
    process.kill(collector.pid, 'SIGSTOP')
    const began = performance.now()
    const waits = [[], ['--since', '0']].map((since) => run(['wait', 'error', '--timeout', '1', ...since], collector))
    for (const { ended } of waits)
      expect(await ended).toMatchObject({
        code: 3,
        err: expect.stringMatching(
          /^The collector at \S+ does not answer \(timed out after 5 s\): it is stopped or too busy\.\n$/,
        ),
      })
    expect(performance.now() - began).toBeLessThan(20_000)
  })

  it('requires the token, and a journal number that exists', async () => {
    const guarded = await startCollector({ WAYSTATION_TOKEN: 'a token of sixteen' })
    expect(await run(['wait', 'error'], guarded).ended).toMatchObject({
      code: 2,
      err: expect.stringContaining('WAYSTATION_TOKEN'),
    })
    const token = { WAYSTATION_TOKEN: 'a token of sixteen' }
    expect(await run(['wait', 'error', '--since', '99'], guarded, token).ended).toMatchObject({
      code: 2,
      err: expect.stringContaining('after=99: the newest number is'),
    })
  })
})

describe('waystation tail', () => {
  it('prints a line for each item, and exits with 130 after Ctrl-C', async () => {
    const collector = shared()
    const tail = run(['tail', ...(await fromNow())], collector)
    const [first, second] = [(await newestSeq(collector)) + 1, (await newestSeq(collector)) + 2]
    await postEnvelope(collector, errorEnvelope(collector.dsn, { message: 'a\u001b[31mred\u202e' }).body)
    await tail.printed(`#${first}`)
    await postEnvelope(collector, spanEnvelope(collector.dsn).body)
    await tail.printed(`#${second}`)
    tail.child.kill('SIGINT')
    const { code, out, err } = await tail.ended
    expect(out.split('\n').map((line) => line.slice(13))).toEqual([
      `browser  error         Error: a\\u001b[31mred\\u202e (error) #${first} ● kept`,
      `browser  transaction   pageload /checkout (1 s) #${second} ● kept`,
      '',
    ])
    expect({ code, err }).toEqual({ code: 130, err: '' })
  })

  it('prints the selected kinds as lines of JSON', async () => {
    const collector = shared()
    const tail = run(['tail', ...(await fromNow()), '--kind', 'span,clientReport', '--json'], collector)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await postEnvelope(collector, spanEnvelope(collector.dsn, { children: 1 }).body)
    await tail.printed('child 0')
    tail.child.kill('SIGTERM')
    const { code, out } = await tail.ended
    const printed = out
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(printed).toMatchObject([
      { kind: 'span', name: 'child 0', op: 'ui.task' },
      { kind: 'span', name: '/checkout', isSegment: true },
    ])
    expect(code).toBe(143)
  })

  it('prints the outcome of envelopes that upstream rejects', async () => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
    const client = collectorClient(collector.url, fetch)
    const tail = run(['tail', '--since', '0', '--kind', 'error'], collector)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await factAfter(collector, 'delivered')
    await client.play({ answers: [{ status: 413, times: 1 }, { status: 418 }] })
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await tail.printed('outcome')
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await tail.printed('#3 ✗')
    tail.child.kill('SIGINT')
    const { code, out } = await tail.ended
    expect(out.split('\n').map((line) => line.slice(13).replace(/\s+/g, ' '))).toEqual([
      'browser error Error: boom (error) #1 … pending',
      'browser error Error: boom (error) #2 … pending',
      '- outcome dead_letter #2 ✗ pending',
      'browser error Error: boom (error) #3 … pending',
      '- outcome upstream_418 #3 ✗ invalid',
      '',
    ])
    expect(code).toBe(130)
  })

  it('ends when its output is closed', async () => {
    const collector = shared()
    const since = await fromNow()
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    const tail = run(['tail', ...since], collector)
    await tail.printed('Error: boom')
    tail.child.stdout?.destroy()
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    expect((await tail.ended).code).toBe(0)
  })
})
