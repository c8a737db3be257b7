import { describe, expect, it, onTestFinished } from 'vitest'
import { errorEnvelope, transactionEnvelope } from '../../flow/envelopes'
import { fakeCollector, STARTED_AT } from './fake-collector'
import { everythingElse } from './manual-clock'
import { opened } from './opened'

const DSN = 'http://local@127.0.0.1:8969/1'
const error = (message: string, traceId?: string): string =>
  errorEnvelope(DSN, { message, ...(traceId && { traceId }) }).body

it('resolves with an item that arrives later', async () => {
  const { collector, recording } = await opened()
  const waited = recording.waitFor.error({ title: /boom/ })
  collector.record(error('no'), 'mine')
  collector.record(error('boom'), 'mine')
  expect((await waited).title).toBe('Error: boom')
})

it('resolves with an earlier item of the recording, not with older ones', async () => {
  const collector = fakeCollector()
  collector.record(error('boom of before'), 'mine')
  const { recording } = await opened(collector)
  collector.record(error('boom of now'), 'mine')
  await recording.waitFor.error({ title: /of now/ })
  expect((await recording.waitFor.error({ title: /boom/ })).title).toBe('Error: boom of now')
})

// The fake collector receives its first envelope after 1 s and its second after 2 s.
describe('a recording that several tests share', () => {
  const shared = async () => {
    const collector = fakeCollector()
    let began: number | null = null
    const { recording, clock } = await opened(collector, { startedAt: () => began })
    collector.record(error('boom of the test before'), 'mine')
    await recording.waitFor.error({ title: /before/ })
    began = STARTED_AT + 2_000
    return { collector, recording, clock }
  }

  it('matches only what arrived since the test began', async () => {
    const { collector, recording } = await shared()
    const waited = recording.waitFor.error({ title: /boom/ })
    collector.record(error('boom of this test'), 'mine')
    expect((await waited).title).toBe('Error: boom of this test')
  })

  it('names an earlier match in its message, and lists only what arrived since', async () => {
    const { recording, clock } = await shared()
    const waited = recording.waitFor.error({ title: /boom/ }, { timeout: 100 })
    const message = waited.catch((cause: Error) => cause.message)
    await clock.advance(100)
    expect(String(await message).split('\n')).toEqual([
      'no error with title like /boom/ arrived within 100 ms',
      '',
      'nothing arrived',
      '',
      'a match arrived before this test began: Error: boom of the test before (envelope 1, item 0); { past: true } includes it',
    ])
  })

  it('matches what came before with past: true', async () => {
    const { recording } = await shared()
    const found = await recording.waitFor.error({ title: /boom/ }, { past: true })
    expect(found.title).toBe('Error: boom of the test before')
  })

  it('rejects a past that is not a boolean', async () => {
    const { recording } = await shared()
    expect(() => recording.waitFor.error({}, { past: 'yes' as never })).toThrow(
      'waitFor.error: past must be true or false, got "yes"',
    )
  })
})

it.each([
  [5_000, '5000'],
  ['2s', '"2s"'],
  [null, 'null'],
  [{ timeout: 5 }, '{"timeout":5}'],
  [new AbortController(), 'an AbortController; pass its `signal`'],
])('throws at once for a within that is not an AbortSignal: %o', async (within, shown) => {
  const { recording } = await opened()
  expect(() => recording.waitFor.error({}, { within: within as never })).toThrow(
    new TypeError(`waitFor.error: within must be an AbortSignal such as AbortSignal.timeout(2_000), got ${shown}`),
  )
})

it('rejects after the time-out with criteria, nearest miss and what else arrived', async () => {
  const collector = fakeCollector()
  const { recording, clock } = await opened(collector, { appUrl: 'http://localhost:3000' })
  const waited = recording.waitFor.transaction({ name: '/cart' }, { timeout: 2_000 })
  const made = transactionEnvelope(DSN, { children: 0 })
  collector.record(made.body, 'mine')
  await everythingElse()
  await clock.advance(1_999)
  const message = waited.catch((cause: Error) => `${cause.name}: ${cause.message}`)
  await clock.advance(1)
  expect(String(await message).split('\n')).toEqual([
    'WaitError: no transaction with name "/cart" arrived within 2 s',
    '',
    'nearest: pageload /checkout (envelope 1, item 0)',
    '  name  expected "/cart", got "/checkout"',
    `  http://localhost:3000/traces/${made.traceId}?span=${made.spanId}`,
    '',
    'what arrived:',
    '  1 transaction: pageload /checkout',
    '  1 span: pageload /checkout',
  ])
})

it('throws for invalid criteria at once', async () => {
  const { recording } = await opened()
  expect(() => recording.waitFor.error(undefined as never)).toThrow(TypeError)
})

it.each([
  [0, '0'],
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, 'Infinity'],
  [3e9, '3000000000'],
  ['5', '"5"'],
])('throws for an invalid time-out at once: %s', async (timeout, shown) => {
  const { recording } = await opened()
  expect(() => recording.waitFor.error({}, { timeout: timeout as number })).toThrow(
    `waitFor.error: timeout must be ms above 0 and up to 2147483647, got ${shown}`,
  )
})

it('rejects with the error of a throwing predicate', async () => {
  const { collector, recording } = await opened()
  const waited = recording.waitFor.error(() => {
    throw new Error('no such field')
  })
  collector.record(error('boom'), 'mine')
  await expect(waited).rejects.toThrow(/no such field/)
})

it('clears the timer of a resolved wait', async () => {
  const { collector, recording, clock } = await opened()
  // Not awaited: a failed one would be reported by close().
  recording.waitFor.error({ title: /boom/ }, { timeout: 1_000 })
  collector.record(error('boom'), 'mine')
  await clock.advance(1_000)
  expect(await recording.close()).toEqual([])
})

it('rejects with the reason of an aborted signal', async () => {
  const { recording } = await opened()
  const within = new AbortController()
  const waited = recording.waitFor.log({}, { within: within.signal })
  within.abort(new Error('the page was closed'))
  await expect(waited).rejects.toThrow(/^the wait was aborted: the page was closed\n/)
})

it('rejects before the time-out if the collector is gone', async () => {
  const { collector, recording, clock } = await opened()
  const waited = recording.waitFor.error({}, { timeout: 60_000 }).catch((cause: Error) => cause.message)
  collector.die()
  await clock.advance(3_100)
  expect(await waited).toBe(
    'reading from the collector failed: the collector cannot be reached\n\nno error of any kind arrived\n\nnothing arrived',
  )
  expect(recording.gaps()).toEqual(['reading from the collector failed: the collector cannot be reached'])
  expect(await recording.settle()).toEqual({
    settled: false,
    waitedMs: 0,
    message: 'reading from the collector failed: the collector cannot be reached',
  })
  await expect(recording.waitFor.error({})).rejects.toThrow(/^reading from the collector failed/)
})

it.each([
  ['had nothing', [], /the collector at http:\/\/127\.0\.0\.1:4 has never received anything/],
  ['had something of others', ['other'], /\n\nnothing arrived$/],
])('for a collector that %s at the start, names it only if its record was empty', async (_what, before, words) => {
  const collector = fakeCollector()
  for (const stamp of before) collector.record(error('boom'), stamp)
  const { recording, clock } = await opened(collector, { collectorUrl: 'http://127.0.0.1:4' })
  const waited = recording.waitFor.error({}, { timeout: 1_000 }).catch((cause: Error) => cause.message)
  await clock.advance(1_000)
  expect(await waited).toMatch(words)
})

it('continues if the collector returns in time', async () => {
  const { collector, recording, clock } = await opened()
  const waited = recording.waitFor.error({ title: /back/ })
  collector.die()
  await clock.advance(2_000)
  collector.rise()
  collector.record(error('back again'), 'mine')
  await clock.advance(200)
  expect((await waited).title).toBe('Error: back again')
  expect(recording.gaps()).toEqual([])
})

it('rejects at once if the collector process has ended', async () => {
  const gone = new AbortController()
  const { recording } = await opened(fakeCollector(), { gone: gone.signal })
  const waited = recording.waitFor.error({})
  gone.abort('the collector ended (SIGKILL)')
  await expect(waited).rejects.toThrow(/^reading from the collector failed: the collector ended \(SIGKILL\)\n/)
})

it('reports failed waits that were never awaited when it is closed', async () => {
  const thrown: unknown[] = []
  const note = (reason: unknown): void => {
    thrown.push(reason)
  }
  process.on('unhandledRejection', note)
  onTestFinished(() => {
    process.off('unhandledRejection', note)
  })
  const { collector, recording, clock } = await opened()
  recording.waitFor.error({ title: 'never awaited' }, { timeout: 100 })
  const awaited = recording.waitFor.error({ title: 'awaited' }, { timeout: 100 })
  recording.waitFor.log({ name: 'still open' })
  recording.waitFor.error({ title: /boom/ })
  collector.record(error('boom'), 'mine')
  await clock.advance(200)
  await expect(awaited).rejects.toThrow('awaited')
  expect((await recording.close()).map((words) => words.split('\n')[0])).toEqual([
    'no error with title "never awaited" arrived within 100 ms',
    'the recording was closed before a match arrived',
  ])
  expect(thrown).toEqual([])
})

it('has the test’s line at the top of its stack', async () => {
  const { recording, clock } = await opened()
  let stack = ''
  const waited = recording.waitFor.error({ title: 'never' }, { timeout: 100 }).catch((error: Error) => {
    stack = error.stack ?? ''
  })
  await clock.advance(100)
  await waited
  const [first, ...rest] = stack.split('\n')
  expect(first).toBe('WaitError: no error with title "never" arrived within 100 ms')
  expect(rest.find((line) => /^ +at /.test(line))).toMatch(/waits\.test\.ts:\d+:\d+/)
})
