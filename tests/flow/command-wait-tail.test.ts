import { afterEach, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  endCollectors,
  factAfter,
  postEnvelope,
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
  endCollectors()
})

const asked = (words: readonly string[], { url }: Pick<CollectorProcess, 'url'>, env = {}): RunningCommand =>
  startCommand(words, { WAYSTATION_DATA: temporaryFolder(), WAYSTATION_COLLECTOR_URL: url, ...env })

async function program(collector: CollectorProcess): Promise<NodeSdkProgram> {
  const started = await startNodeSdkProgram(collector.dsn)
  programs.add(started)
  return started
}

describe('waystation wait', () => {
  it('ends with 0 as soon as what is wanted comes from a real SDK, and prints it', async () => {
    const collector = await startCollector()
    const sdk = await program(collector)
    await sdk.cause('error')
    const waiting = asked(['wait', 'transaction', 'name=work', 'service=server', '--since', '0'], collector)
    await sdk.cause('transaction')
    const { code, out, err } = await waiting.ended
    expect(out).toMatch(/^\d\d:\d\d:\d\d\.\d{3} server {3}transaction {3}work \(.*s\) #2 ● kept\n$/)
    expect(err).toMatch(/^open http:\/\/localhost:3000\/traces\/[0-9a-f]{32}\n$/)
    expect(code).toBe(0)
  })

  it('gives all of it as JSON', async () => {
    const collector = await startCollector()
    await (await program(collector)).cause('error')
    const { code, out } = await asked(['wait', 'error', 'title~from node', '--since', '1h', '--json'], collector).ended
    expect(JSON.parse(out)).toMatchObject({ kind: 'error', title: 'Error: from node', seq: 1, service: 'server' })
    expect(code).toBe(0)
  })

  it('waits for what comes from now on, unless it is told to look back', async () => {
    const collector = await startCollector()
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    expect(await asked(['wait', 'error', '--timeout', '0.2'], collector).ended).toEqual({
      code: 1,
      out: '',
      err: 'No error came within 0.2 s, and no other error either.\nWhat came before was not looked at: --since 0, or --since 5m, does.\n',
    })
  })

  it('ends with 1 and the nearest miss where it does not come', async () => {
    const collector = await startCollector()
    for (const name of ['/cart', '/checkout/pay'])
      await postEnvelope(collector, transactionEnvelope(collector.dsn, { name }).body)
    const words = ['wait', 'transaction', 'op=pageload', 'name=/checkout', '--since', '0', '--timeout', '0.5']
    const { code, out, err } = await asked(words, collector).ended
    expect(err).toMatch(
      /^No transaction op=pageload name=\/checkout came within 0\.5 s\. Of 2 that came the nearest is pageload \/checkout\/pay:\n {2}name {2}expected "\/checkout", got "\/checkout\/pay"\n {2}name= wants the whole text, name~ takes a part of it\n {2}open http:\/\/localhost:3000\/traces\/[0-9a-f]{32}\n$/,
    )
    expect({ code, out }).toEqual({ code: 1, out: '' })
  })

  it('sees what carries a stamp and what is of its trace, and nothing of another', async () => {
    const collector = await startCollector()
    const stamped = (stamp: string) => ({ 'x-waystation-stamp': stamp })
    await postEnvelope(collector, errorEnvelope(collector.dsn, { message: 'yours' }).body, stamped('yours'))
    const { traceId, body } = transactionEnvelope(collector.dsn)
    await postEnvelope(collector, errorEnvelope(collector.dsn, { message: 'of the server', traceId }).body)
    await postEnvelope(collector, body, stamped('mine'))
    const mine = ['--stamp', 'mine', '--since', '0', '--timeout', '5']
    expect((await asked(['wait', 'error', ...mine], collector).ended).out).toContain('Error: of the server')
    const none = await asked(['wait', 'error', 'title~yours', ...mine.with(-1, '0.3')], collector).ended
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('Of 1 that came') })
  })

  it('ends with 3 where no collector answers or none answers any more, and with 2 where it was mistyped', async () => {
    const collector = await startCollector()
    const away = await asked(['wait', 'log', '--url', 'http://127.0.0.1:9'], collector).ended
    expect(away).toMatchObject({
      code: 3,
      err: expect.stringMatching(
        /^No collector answers at http:\/\/127\.0\.0\.1:9: start one .* That of a waystation run is elsewhere: its first line on stderr says where\.$/m,
      ),
    })
    const waiting = asked(['wait', 'error', '--since', '0', '--json', 'message=never'], collector)
    const tail = asked(['tail', '--since', '0'], collector)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await tail.said('Error: boom')
    await collector.kill()
    expect(await waiting.ended).toMatchObject({ code: 3, out: '' })
    expect(await tail.ended).toMatchObject({ code: 3, err: expect.stringContaining('No collector answers at') })
    expect(await asked(['wait', 'error', 'titel=x'], collector).ended).toEqual({
      code: 2,
      out: '',
      err: 'titel=x: no error has titel; did you mean title?\n',
    })
    expect(await asked(['wait', 'eror'], collector).ended).toEqual({
      code: 2,
      out: '',
      err: 'There is no kind "eror": did you mean error?\n',
    })
  })

  it.each([[[]], [['--since', '0']]])(
    'ends with 3 where a collector accepts and says nothing, soon after its own time, with %j',
    async (since) => {
      const collector = await startCollector()
      process.kill(collector.pid, 'SIGSTOP')
      const began = performance.now()
      const { code, err } = await asked(['wait', 'error', '--timeout', '1', ...since], collector).ended
      expect(err).toMatch(/^What listens at \S+ does not answer, not within 5 s: it is stopped, or too busy\.\n$/)
      expect(code).toBe(3)
      expect(performance.now() - began).toBeLessThan(20_000)
    },
  )

  it('says which token is wanted, and ends with 2 behind the newest fact', async () => {
    const guarded = await startCollector({ WAYSTATION_TOKEN: 'a token of sixteen' })
    expect(await asked(['wait', 'error'], guarded).ended).toMatchObject({
      code: 2,
      err: expect.stringContaining('WAYSTATION_TOKEN'),
    })
    const token = { WAYSTATION_TOKEN: 'a token of sixteen' }
    expect(await asked(['wait', 'error', '--since', '99'], guarded, token).ended).toMatchObject({
      code: 2,
      err: expect.stringContaining('after=99: the newest number is'),
    })
  })
})

describe('waystation tail', () => {
  it('follows what arrives, a plain line each, and ends with 130 after Ctrl-C', async () => {
    const collector = await startCollector()
    const tail = asked(['tail', '--since', '0'], collector)
    await postEnvelope(collector, errorEnvelope(collector.dsn, { message: 'a\u001b[31mred\u202e' }).body)
    await tail.said('#1')
    await postEnvelope(collector, spanEnvelope(collector.dsn).body)
    await tail.said('#2')
    tail.child.kill('SIGINT')
    const { code, out, err } = await tail.ended
    expect(out.split('\n').map((line) => line.slice(13))).toEqual([
      'browser  error         Error: a\\u001b[31mred\\u202e (error) #1 ● kept',
      'browser  transaction   pageload /checkout (1.00 s) #2 ● kept',
      '',
    ])
    expect({ code, err }).toEqual({ code: 130, err: '' })
  })

  it('gives a line of JSON each, of the kinds that are named', async () => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
    const tail = asked(['tail', '--since', '0', '--kind', 'span,clientReport', '--json'], collector)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await postEnvelope(collector, spanEnvelope(collector.dsn, { children: 1 }).body)
    await tail.said('child 0')
    tail.child.kill('SIGTERM')
    const { code, out } = await tail.ended
    const told = out
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(told).toMatchObject([
      { kind: 'span', name: 'child 0', op: 'ui.task' },
      { kind: 'span', name: '/checkout', isSegment: true },
    ])
    expect(code).toBe(143)
  })

  it('tells what upstream did not accept, when that is decided', async () => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
    const client = collectorClient(collector.url, fetch)
    const tail = asked(['tail', '--since', '0', '--kind', 'error'], collector)
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await factAfter(collector, 'delivered')
    await client.play({ answers: [{ status: 413, times: 1 }, { status: 418 }] })
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await tail.said('outcome')
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await tail.said('#3 ✗')
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

  it('ends where nobody reads it any more', async () => {
    const collector = await startCollector()
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    const tail = asked(['tail', '--since', '0'], collector)
    await tail.said('#1')
    tail.child.stdout?.destroy()
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    expect((await tail.ended).code).toBe(0)
  })
})
