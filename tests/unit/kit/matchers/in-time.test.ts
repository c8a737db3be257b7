import '../../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import { errorEnvelope, transactionEnvelope } from '../../../flow/envelopes'
import { fakeCollector } from '../fake-collector'
import { opened } from '../opened'
import { failureMessage } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'
const pageload = transactionEnvelope(DSN, { children: 0 }).body

it('a matcher for presence retries for the wait time', async () => {
  const collector = fakeCollector()
  const { recording, clock } = await opened(collector, { waitMs: 5_000 })
  const found = Promise.all([
    failureMessage(() => expect(recording).toHaveSpan({ op: 'pageload' })),
    failureMessage(() => expect(recording).toHaveSpanTree('pageload')),
  ])
  await clock.advance(4_900)
  collector.record(pageload, 'mine')
  await clock.advance(50)
  expect(await found).toEqual([null, null])
})

it('a matcher for presence passes at once', async () => {
  const { collector, recording, clock } = await opened()
  collector.record(pageload, 'mine')
  await clock.advance(0)
  await expect(recording).toHaveSpan({ op: 'pageload' })
  expect(clock.now()).toBe(1_000)
})

it('a matcher for presence fails with the nearest miss after the wait time', async () => {
  const collector = fakeCollector()
  const { recording, clock } = await opened(collector, { waitMs: 2_000 })
  collector.record(pageload, 'mine')
  let words: string | null = ''
  const message = failureMessage(() => expect(recording).toHaveSpan({ op: 'db' })).then((messages) => {
    words = messages
  })
  await clock.advance(1_999)
  expect(words).toBe('')
  await clock.advance(1)
  await message
  expect(words).toMatch(/^the trace has no span with op "db"\n\nnearest: pageload \/checkout/)
})

it('a matcher for presence stops retrying if nothing more can arrive', async () => {
  const collector = fakeCollector()
  const { recording, clock } = await opened(collector, { retryMs: 500 })
  collector.die()
  const message = failureMessage(() => expect(recording).toHaveSpan({ op: 'db' }))
  await clock.advance(700)
  expect(await message).toMatch(/^incomplete: reading from the collector failed: /)
})

it('a matcher for absence waits until telemetry settles', async () => {
  const { collector, recording, clock } = await opened()
  collector.record(pageload, 'mine')
  const judged = failureMessage(() => expect(recording).not.toHaveSpan({ op: 'db' }))
  await clock.advance(300)
  expect(await judged).toBeNull()
})

it.each<[string, (recording: object) => unknown]>([
  ['a span', (recording) => expect(recording).toHaveSpan({ op: 'db' })],
  ['no span', (recording) => expect(recording).not.toHaveSpan({ op: 'db' })],
  ['no leak', (recording) => expect(recording).toLeakNothing()],
])('a matcher without await fails with advice when the recording is closed: %s', async (_, expectation) => {
  const { collector, recording, clock } = await opened()
  collector.record(pageload, 'mine')
  await clock.advance(0)
  const message = failureMessage(() => expectation(recording))
  await clock.advance(10)
  let isClosed = false
  const closing = recording.close().then(() => {
    isClosed = true
  })
  message.then(() => expect(isClosed).toBe(false))
  await clock.advance(1_000)
  await closing
  expect(await message).toMatch(
    /^incomplete: the recording was closed with its test before this was checked; write `await` before expect\(…\)/,
  )
})

it('adds a hint if no span arrived', async () => {
  const collector = fakeCollector()
  const { recording, clock } = await opened(collector, { waitMs: 100, emptyHint: 'await Sentry.flush()' })
  const spanless = failureMessage(() => expect(recording).toHaveSpan({ op: 'db' }))
  await clock.advance(1_000)
  expect(await spanless).toBe('no trace was recorded\n\nnothing arrived\n\nawait Sentry.flush()')
  const unjudged = failureMessage(() => expect(recording).toHaveNoUnexpectedErrors())
  await clock.advance(1_000)
  expect(await unjudged).toBe('Nothing was recorded, so errors cannot be ruled out.\n\nawait Sentry.flush()')
  collector.record(errorEnvelope(DSN, { message: 'boom' }).body, 'mine')
  await clock.advance(0)
  const message = recording.trace(recording.evidence().events[0] ?? '')
  await clock.advance(1_000)
  const trace = await message
  expect(await failureMessage(() => expect(trace).toHaveSpan({ op: 'db' }))).toMatch(/\n\nawait Sentry\.flush\(\)$/)
  collector.record(pageload, 'mine')
  const other = failureMessage(() => expect(recording).toHaveSpan({ op: 'db' }))
  await clock.advance(1_000)
  expect(await other).not.toContain('flush')
})

it('a maximum of spans is judged when telemetry settles', async () => {
  const { collector, recording, clock } = await opened()
  const first = transactionEnvelope(DSN, { children: 1 })
  collector.record(first.body, 'mine')
  const judged = failureMessage(() => expect(recording).toHaveSpanTree('http.client{..1}'))
  await clock.advance(50)
  collector.record(transactionEnvelope(DSN, { children: 2, traceId: first.traceId }).body, 'mine')
  await clock.advance(1_000)
  expect(await judged).toContain('found 3 of http.client, expected at most 1')
})
