import { describe, expect, it, vi } from 'vitest'
import { openRecording } from '../../../lib/kit/recording'
import { errorEnvelope, transactionEnvelope } from '../../flow/envelopes'
import { fakeCollector } from './fake-collector'
import { everythingElse } from './manual-clock'
import { opened } from './opened'

const DSN = 'http://local@127.0.0.1:8969/1'
const error = (message: string, traceId?: string): string =>
  errorEnvelope(DSN, { message, ...(traceId && { traceId }) }).body

it('starts after a journal number', async () => {
  const collector = fakeCollector()
  const first = collector.record(error('one'), 'mine')
  collector.record(error('two'), 'mine')
  const { recording } = await opened(collector, { after: first })
  await recording.waitFor.error({ title: 'Error: two' })
  expect(recording.evidence().events.map(({ title }) => title)).toEqual(['Error: two'])
})

it('ignores submissions with another stamp, also of its own traces', async () => {
  const { collector, recording } = await opened()
  const mine = transactionEnvelope(DSN)
  collector.record(mine.body, 'mine')
  collector.record(error('theirs', mine.traceId), 'theirs')
  collector.record(error('last'), 'mine')
  await recording.waitFor.error({ title: 'Error: last' })
  expect(recording.evidence().events.map(({ title }) => title)).toEqual(['Error: last'])
})

it('includes unstamped submissions of its traces, in journal order', async () => {
  const { collector, recording } = await opened()
  const [one, other] = [transactionEnvelope(DSN), transactionEnvelope(DSN)]
  collector.record(error('of no trace of its own'))
  collector.record(one.body, 'mine')
  collector.record(error('before', other.traceId))
  collector.record(error('after', one.traceId))
  collector.record(other.body, 'mine')
  await recording.waitFor.error({ title: 'Error: before' })
  expect(recording.evidence().envelopes.map(({ seq }) => seq)).toEqual([2, 3, 4, 5])
  expect(recording.submissions().map(({ seq }) => seq)).toEqual([2, 3, 4, 5])
})

it('includes its part of a batch, and all of it if both traces are its own', async () => {
  const { collector, recording } = await opened()
  const [one, other] = [transactionEnvelope(DSN), transactionEnvelope(DSN)]
  const [, ...items] = error('of other', other.traceId).split('\n')
  collector.record([error('of one', one.traceId), ...items].join('\n'))
  collector.record(one.body, 'mine')
  await recording.waitFor.error({ title: 'Error: of one' })
  expect(recording.evidence().events.map(({ title }) => title)).toEqual(['Error: of one'])
  collector.record(other.body, 'mine')
  await recording.waitFor.error({ title: 'Error: of other' })
  expect(recording.evidence().events.map(({ title }) => title)).toEqual(['Error: of one', 'Error: of other'])
  expect(recording.evidence().envelopes.map(({ seq }) => seq)).toEqual([1, 2, 3])
  expect(recording.submissions().map(({ seq }) => seq)).toEqual([1, 2, 3])
})

it('includes server telemetry of its request headers, with a new trace each time', async () => {
  const { collector, recording } = await opened()
  const requested = [recording.headers, recording.headers]
  const [first, second] = requested.map((headers) => headers['sentry-trace'].slice(0, 32))
  collector.record(error('of nobody', 'b'.repeat(32)))
  collector.record(error('of the first', first))
  collector.record(error('of the second', second))
  await recording.waitFor.error({ title: 'Error: of the second' })
  expect(recording.evidence().events.map(({ title }) => title)).toEqual(['Error: of the first', 'Error: of the second'])
  expect(first).not.toBe(second)
  expect(requested[0]).toMatchObject({
    'x-waystation-stamp': 'mine',
    'sentry-trace': expect.stringMatching(/^[0-9a-f]{32}-[0-9a-f]{16}$/),
  })
})

it('includes what a page posted to another origin, and allows its errors in the run too', async () => {
  const reported: unknown[] = []
  const { collector, recording } = await opened(fakeCollector(), { report: (entry) => reported.push(entry) })
  const [mine, theirs] = [transactionEnvelope(DSN), transactionEnvelope(DSN)]
  recording.allow('declined')
  recording.addPost(Buffer.from(mine.body))
  for (const { body } of [theirs, mine]) collector.record(body, null, null, 'http://localhost:3000')
  collector.record(error('of the server', mine.traceId))
  await recording.waitFor.error({ title: 'Error: of the server' })
  expect(recording.submissions().map(({ seq }) => seq)).toEqual([2, 3])
  await recording.close()
  expect(reported).toMatchObject([{ traces: [mine.traceId] }])
})

it('returns a trace by id or item after settling', async () => {
  const { collector, recording, clock } = await opened()
  const made = transactionEnvelope(DSN, { children: 1 })
  collector.record(made.body, 'mine')
  const waited = recording.trace(await recording.waitFor.transaction({}))
  await clock.advance(300)
  expect((await waited).spans).toHaveLength(2)
  const none = expect(recording.trace('a'.repeat(32))).rejects.toThrow(
    `trace ${'a'.repeat(32)} was not recorded with stamp mine (nothing arrived for 300 ms)`,
  )
  await clock.advance(300)
  await none
})

it.each([
  [
    { traceId: null },
    "trace: the argument must be a trace id or an item with one, such as await telemetry.waitFor.transaction({ name: '/cart' }), got an item with traceId null",
  ],
  [
    undefined,
    "trace: the argument must be a trace id or an item with one, such as await telemetry.waitFor.transaction({ name: '/cart' }), got undefined",
  ],
  [
    {},
    "trace: the argument must be a trace id or an item with one, such as await telemetry.waitFor.transaction({ name: '/cart' }), got an object without traceId",
  ],
])('rejects an argument without a trace id: %j', async (given, words) => {
  const { recording } = await opened()
  await expect(recording.trace(given as never)).rejects.toThrow(words)
})

it('reports damaged submissions and a replaced record', async () => {
  const { collector, recording, clock } = await opened()
  collector.damage(1)
  collector.record(error('damaged'), 'mine')
  await everythingElse()
  expect(recording.gaps()).toEqual(['envelope 1 cannot be read: its bytes on disk are damaged'])
  expect(recording.missingRanges()).toEqual([{ from: 0, until: Number.POSITIVE_INFINITY }])
  const other = await openRecording({ client: fakeCollector().client, stamp: 'mine', after: 7, clock })
  await other.settle()
  expect(other.gaps()).toEqual([
    'reading from the collector failed: the collector has a different record than before: its journal ends at 0, but 7 was read already',
  ])
  await other.close()
})

it('rejects an invalid stamp', async () => {
  await expect(openRecording({ client: fakeCollector().client, stamp: 'a b' })).rejects.toThrow(
    '"a b" is not a stamp of 1 to 64 letters',
  )
})

it('limits a category with the stand-in, and explains how to start one', async () => {
  const collector = fakeCollector({ standIn: true })
  const report = vi.fn()
  const { recording } = await opened(collector, { report })
  await recording.upstream.limit({ category: 'span', seconds: 60 })
  expect(report.mock.calls).toEqual([[{ kind: 'rate limit', stamp: 'mine' }]])
  expect(collector.scripts().map(({ stamp }) => stamp)).toEqual(['mine'])
  expect(collector.played()?.answers).toMatchObject([
    { categories: ['span'], times: 1, status: 429, headers: { 'X-Sentry-Rate-Limits': '60:span:organization' } },
  ])
  await recording.upstream.reset()
  expect(collector.scripts().slice(1)).toEqual([{ stamp: 'mine', answers: [] }, { answers: [] }])
  await expect(recording.upstream.limit({ category: 'spans', seconds: 60 })).rejects.toThrow(
    'upstream.limit: category must be one of error, transaction, span, log_item, trace_metric, session, internal, attachment, feedback, replay, profile, profile_chunk, profile_chunk_ui, monitor, security, metric_bucket, got "spans"',
  )
  const { recording: without } = await opened()
  await expect(without.upstream.reset()).rejects.toThrow('WAYSTATION_UPSTREAM=stand-in')
})

it('returns rate limits of its own pages', async () => {
  const { collector, recording } = await opened()
  const page = (name: string) => ({ page: name, category: 'error', verdict: 'kept', after: 0, from: 0, until: 0 })
  Object.assign(collector.limits, { pages: [page('theirs'), page('mine-too')] })
  collector.record(error('of a page'), 'mine', 'mine-too')
  await recording.waitFor.error({})
  expect((await recording.limits()).pages.map((one) => one.page)).toEqual(['mine-too'])
})

it('reads up to the head before the long poll returns', async () => {
  const collector = fakeCollector()
  const { recorded } = collector.client
  const client: typeof collector.client = {
    ...collector.client,
    // The long poll is never answered.
    recorded: (options = {}) =>
      options.wait === 25
        ? new Promise((_, reject) => options.signal?.addEventListener('abort', () => reject(new Error('aborted'))))
        : recorded(options),
  }
  const { recording, clock } = await opened(collector, { client })
  const settled = recording.settle()
  await clock.advance(299)
  collector.record(error('at the last moment'), 'mine')
  await clock.advance(301)
  expect(await settled).toMatchObject({ settled: true, waitedMs: 600 })
  expect(recording.evidence().events.map(({ title }) => title)).toEqual(['Error: at the last moment'])
})

describe('errors that a test allows', () => {
  it('are reported once, when the recording is closed, with the traces of its requests', async () => {
    const reported: unknown[] = []
    const { recording } = await opened(fakeCollector(), {
      allow: [{ error: 'from the start' }],
      report: (entry) => reported.push(entry),
    })
    recording.allow(/declined/)
    expect(() => recording.allow('')).toThrow(/must not be an empty text/)
    const [traceId] = (recording.headers['sentry-trace'] ?? '').split('-')
    expect(recording.allowed()).toEqual([{ error: 'from the start' }, { error: /declined/ }])
    expect(reported).toEqual([])
    await recording.close()
    await recording.close()
    expect(reported).toEqual([
      {
        kind: 'allowed errors',
        stamp: 'mine',
        traces: [traceId],
        allow: [{ error: 'from the start' }, { error: { regexp: 'declined', flags: '' } }],
      },
    ])
  })

  it('are reported if a matcher allows them, which allows them nowhere else', async () => {
    const reported: unknown[] = []
    const { recording } = await opened(fakeCollector(), { report: (entry) => reported.push(entry) })
    recording.reportAllowed([{ error: 'declined' }])
    expect(recording.allowed()).toEqual([])
    await recording.close()
    expect(reported).toMatchObject([{ allow: [{ error: 'declined' }] }])
  })

  it('are not reported without any', async () => {
    const reported: unknown[] = []
    const { recording } = await opened(fakeCollector(), { report: (entry) => reported.push(entry) })
    await recording.close()
    expect(reported).toEqual([])
  })
})
