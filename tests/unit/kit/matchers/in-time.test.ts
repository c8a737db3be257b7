import '../../../../lib/kit/vitest'
import { describe, expect, it } from 'vitest'
import { errorEnvelope, transactionEnvelope } from '../../../flow/envelopes'
import { fakeCollector } from '../fake-collector'
import { opened } from '../opened'
import { failureMessage } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'
const pageload = transactionEnvelope(DSN, { children: 0 }).body

describe('what is to be there', () => {
  it('is looked for as long as a wait lasts: a page tells of its load when it has been idle', async () => {
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

  it('holds at once where it is there, though more may come', async () => {
    const collector = fakeCollector()
    const { recording, clock } = await opened(collector)
    collector.record(pageload, 'mine')
    await clock.advance(0)
    await expect(recording).toHaveSpan({ op: 'pageload' })
    expect(clock.now()).toBe(1_000)
  })

  it('fails with the nearest miss when that time is over', async () => {
    const collector = fakeCollector()
    const { recording, clock } = await opened(collector, { waitMs: 2_000 })
    collector.record(pageload, 'mine')
    let words: string | null = ''
    const told = failureMessage(() => expect(recording).toHaveSpan({ op: 'db' })).then((said) => {
      words = said
    })
    await clock.advance(1_999)
    expect(words).toBe('')
    await clock.advance(1)
    await told
    expect(words).toMatch(/^the trace has no span with op "db"\n\nnearest: pageload \/checkout/)
  })

  it('is not looked for any longer where nothing more can come', async () => {
    const collector = fakeCollector()
    const { recording, clock } = await opened(collector, { retryMs: 500 })
    collector.die()
    const told = failureMessage(() => expect(recording).toHaveSpan({ op: 'db' }))
    await clock.advance(700)
    expect(await told).toMatch(/^incomplete: reading from the collector failed: /)
  })
})

it('what is to be absent is judged when it is quiet', async () => {
  const collector = fakeCollector()
  const { recording, clock } = await opened(collector)
  collector.record(pageload, 'mine')
  const judged = failureMessage(() => expect(recording).not.toHaveSpan({ op: 'db' }))
  await clock.advance(300)
  expect(await judged).toBeNull()
})

it.each<[string, (recording: object) => unknown]>([
  ['a span', (recording) => expect(recording).toHaveSpan({ op: 'db' })],
  ['no span', (recording) => expect(recording).not.toHaveSpan({ op: 'db' })],
  ['no leak', (recording) => expect(recording).toLeakNothing()],
])('what nobody awaited until its recording was closed says so: %s', async (_, expectation) => {
  const collector = fakeCollector()
  const { recording, clock } = await opened(collector)
  collector.record(pageload, 'mine')
  await clock.advance(0)
  const told = failureMessage(() => expectation(recording))
  await clock.advance(10)
  let isClosed = false
  const closing = recording.close().then(() => {
    isClosed = true
  })
  told.then(() => expect(isClosed).toBe(false))
  await clock.advance(1_000)
  await closing
  expect(await told).toMatch(
    /^incomplete: the recording was closed with its test before this was checked; write `await` before expect\(…\)/,
  )
})

it('says what may be amiss where no span came, and not where one did', async () => {
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
  const told = recording.trace(recording.evidence().events[0] ?? '')
  await clock.advance(1_000)
  const trace = await told
  expect(await failureMessage(() => expect(trace).toHaveSpan({ op: 'db' }))).toMatch(/\n\nawait Sentry\.flush\(\)$/)
  collector.record(pageload, 'mine')
  const other = failureMessage(() => expect(recording).toHaveSpan({ op: 'db' }))
  await clock.advance(1_000)
  expect(await other).not.toContain('flush')
})
