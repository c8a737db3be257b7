import { expect, it, onTestFinished } from 'vitest'
import { openRecording, type Recording, type RecordingPlan } from '../../../lib/testing/recording'
import { errorEnvelope, transactionEnvelope } from '../../flow/envelopes'
import { type FakeCollector, fakeCollector } from './fake-collector'
import { everythingElse, manualClock } from './manual-clock'

const DSN = 'http://local@127.0.0.1:8969/1'
const error = (message: string, traceId?: string): string =>
  errorEnvelope(DSN, { message, ...(traceId && { traceId }) }).body

async function opened(
  collector: FakeCollector,
  plan: Partial<RecordingPlan> = {},
): Promise<{ readonly recording: Recording; readonly clock: ReturnType<typeof manualClock> }> {
  const clock = manualClock()
  const recording = await openRecording({ client: collector.client, stamp: 'mine', clock, ...plan })
  onTestFinished(async () => {
    await recording.close()
  })
  return { recording, clock }
}

it('hands a wait the item that comes after it began', async () => {
  const collector = fakeCollector()
  const { recording } = await opened(collector)
  const waited = recording.waitFor.error({ title: /boom/ })
  collector.record(error('no'), 'mine')
  collector.record(error('boom'), 'mine')
  expect((await waited).title).toBe('Error: boom')
})

it('hands a wait what came before it began, but not what came before the recording was opened', async () => {
  const collector = fakeCollector()
  collector.record(error('boom of before'), 'mine')
  const { recording } = await opened(collector)
  collector.record(error('boom of now'), 'mine')
  await recording.waitFor.error({ title: /of now/ })
  expect((await recording.waitFor.error({ title: /boom/ })).title).toBe('Error: boom of now')
})

it('begins behind the journal number that it is given', async () => {
  const collector = fakeCollector()
  const first = collector.record(error('one'), 'mine')
  collector.record(error('two'), 'mine')
  const { recording } = await opened(collector, { after: first })
  await recording.waitFor.error({ title: 'Error: two' })
  expect(recording.evidence().events.map(({ title }) => title)).toEqual(['Error: two'])
})

it('sees nothing that carries the stamp of somebody else, also of a trace of its own', async () => {
  const collector = fakeCollector()
  const { recording } = await opened(collector)
  const mine = transactionEnvelope(DSN)
  collector.record(mine.body, 'mine')
  collector.record(error('theirs', mine.traceId), 'theirs')
  collector.record(error('last'), 'mine')
  await recording.waitFor.error({ title: 'Error: last' })
  expect(recording.evidence().events.map(({ title }) => title)).toEqual(['Error: last'])
})

it('takes what nobody stamped where it is of a trace of its own, whichever comes first, in the order of the journal', async () => {
  const collector = fakeCollector()
  const { recording } = await opened(collector)
  const mine = transactionEnvelope(DSN)
  collector.record(error('before', mine.traceId))
  collector.record(error('of another trace'))
  collector.record(mine.body, 'mine')
  collector.record(error('after', mine.traceId))
  await recording.waitFor.error({ title: 'Error: after' })
  expect(recording.evidence().envelopes.map(({ seq }) => seq)).toEqual([1, 3, 4])
  expect(recording.submissions().map(({ seq }) => seq)).toEqual([1, 3, 4])
})

it('rejects a wait at its end with what was wanted, the nearest miss and what else arrived', async () => {
  const collector = fakeCollector()
  const { recording, clock } = await opened(collector, { appUrl: 'http://localhost:3000' })
  const waited = recording.waitFor.transaction({ name: '/cart' }, { timeout: 2_000 })
  const made = transactionEnvelope(DSN, { children: 0 })
  collector.record(made.body, 'mine')
  await everythingElse()
  await clock.advance(1_999)
  const told = waited.catch((cause: Error) => `${cause.name}: ${cause.message}`)
  await clock.advance(1)
  expect(await told).toBe(
    [
      'WaitError: no transaction with name "/cart" arrived within 2 s',
      '',
      'the nearest: pageload /checkout (envelope 1, item 0)',
      '  name  seen "/checkout", wanted "/cart"',
      `  http://localhost:3000/traces/${made.traceId}?span=${made.spanId}`,
      '',
      'what arrived:',
      '  1 transaction: pageload /checkout',
      '  1 span: pageload /checkout',
    ].join('\n'),
  )
})

it('rejects wrong criteria and a wrong time-out where they are written', async () => {
  const { recording } = await opened(fakeCollector())
  expect(() => recording.waitFor.error(undefined as never)).toThrow(TypeError)
  expect(() => recording.waitFor.error({}, { timeout: 0 })).toThrow(
    'waitFor.error: timeout is 0, and is meant as ms, more than 0',
  )
})

it('rejects a wait whose function throws with the words of that', async () => {
  const collector = fakeCollector()
  const { recording } = await opened(collector)
  const waited = recording.waitFor.error(() => {
    throw new Error('no such field')
  })
  collector.record(error('boom'), 'mine')
  await expect(waited).rejects.toThrow(/no such field/)
})

it('ends a wait with the reason of the signal that it is within', async () => {
  const { recording } = await opened(fakeCollector())
  const within = new AbortController()
  const waited = recording.waitFor.log({}, { within: within.signal })
  within.abort(new Error('the page was closed'))
  await expect(waited).rejects.toThrow(/^the wait was given up: the page was closed\n/)
})

it('rejects waits with a sentence, and not with their time-out, when the collector does not come back', async () => {
  const collector = fakeCollector()
  const { recording, clock } = await opened(collector)
  const waited = recording.waitFor.error({}, { timeout: 60_000 }).catch((cause: Error) => cause.message)
  collector.die()
  await clock.advance(3_100)
  expect(await waited).toBe(
    'nothing more can be read: the collector cannot be reached\n\nno error of any kind arrived\n\nnothing at all arrived',
  )
  expect(recording.gaps()).toEqual(['nothing more can be read: the collector cannot be reached'])
  expect(await recording.settle()).toEqual({
    settled: false,
    waitedMs: 0,
    sentence: 'nothing more can be read: the collector cannot be reached',
  })
  await expect(recording.waitFor.error({})).rejects.toThrow(/^nothing more can be read/)
})

it('goes on when the collector comes back in time', async () => {
  const collector = fakeCollector()
  const { recording, clock } = await opened(collector)
  const waited = recording.waitFor.error({ title: /back/ })
  collector.die()
  await clock.advance(2_000)
  collector.rise()
  collector.record(error('back again'), 'mine')
  await clock.advance(200)
  expect((await waited).title).toBe('Error: back again')
  expect(recording.gaps()).toEqual([])
})

it('ends at once when whoever started the collector says that it has ended', async () => {
  const gone = new AbortController()
  const { recording } = await opened(fakeCollector(), { gone: gone.signal })
  const waited = recording.waitFor.error({})
  gone.abort('the collector ended (SIGKILL)')
  await expect(waited).rejects.toThrow(/^nothing more can be read: the collector ended \(SIGKILL\)\n/)
})

it('tells at its end of the waits that came to nothing and that nobody awaited, of no others, and nothing is thrown meanwhile', async () => {
  const thrown: unknown[] = []
  const note = (reason: unknown): void => {
    thrown.push(reason)
  }
  process.on('unhandledRejection', note)
  onTestFinished(() => {
    process.off('unhandledRejection', note)
  })
  const collector = fakeCollector()
  const { recording, clock } = await opened(collector)
  recording.waitFor.error({ title: 'never awaited' }, { timeout: 100 })
  const awaited = recording.waitFor.error({ title: 'awaited' }, { timeout: 100 })
  recording.waitFor.log({ name: 'still open' })
  recording.waitFor.error({ title: /boom/ })
  collector.record(error('boom'), 'mine')
  await clock.advance(200)
  await expect(awaited).rejects.toThrow('awaited')
  expect((await recording.close()).map((words) => words.split('\n')[0])).toEqual([
    'no error with title "never awaited" arrived within 0.1 s',
    'the recording was closed before it came',
  ])
  expect(thrown).toEqual([])
})

it('is settled when everything up to the head was read and nothing of it came for a while', async () => {
  const collector = fakeCollector()
  const { recording, clock } = await opened(collector)
  const settled = recording.settle()
  await clock.advance(200)
  collector.record(error('late'), 'mine')
  await clock.advance(100)
  collector.record(error('of another'), 'theirs')
  await clock.advance(199)
  collector.note()
  await clock.advance(1)
  expect(await settled).toEqual({ settled: true, waitedMs: 500, sentence: 'nothing came for 300 ms' })
  expect(recording.evidence().events).toHaveLength(1)
})

it('gives up settling where something comes all the time, and says so', async () => {
  const collector = fakeCollector()
  const { recording, clock } = await opened(collector)
  const settled = recording.settle({ quiet: 100, timeout: 300 })
  for (let n = 0; n < 6; n++) {
    collector.record(error(`again ${n}`), 'mine')
    await clock.advance(60)
  }
  expect(await settled).toMatchObject({
    settled: false,
    sentence: 'something still came after 300 ms: it was never quiet for 100 ms',
  })
})

it('gives a trace by the id or an item of it, once it is quiet', async () => {
  const collector = fakeCollector()
  const { recording, clock } = await opened(collector)
  const made = transactionEnvelope(DSN, { children: 1 })
  collector.record(made.body, 'mine')
  const waited = recording.trace(await recording.waitFor.transaction({}))
  await clock.advance(300)
  expect((await waited).spans).toHaveLength(2)
  const none = expect(recording.trace('a'.repeat(32))).rejects.toThrow(
    `nothing was recorded of trace ${'a'.repeat(32)} with stamp mine (nothing came for 300 ms)`,
  )
  await clock.advance(300)
  await none
  await expect(recording.trace({ traceId: null })).rejects.toThrow('is of no trace')
})

it('says that bytes cannot be read, and that its record was replaced', async () => {
  const collector = fakeCollector()
  const { recording, clock } = await opened(collector)
  collector.damage(1)
  collector.record(error('damaged'), 'mine')
  await everythingElse()
  expect(recording.gaps()).toEqual(['the bytes of envelope 1 cannot be read any more'])
  const other = await openRecording({ client: fakeCollector().client, stamp: 'mine', after: 7, clock })
  await other.settle()
  expect(other.gaps()).toEqual([
    'nothing more can be read: the collector has another record than before: its journal ends at 0, and 7 was read',
  ])
  await other.close()
})

it('refuses what is no stamp', async () => {
  await expect(openRecording({ client: fakeCollector().client, stamp: 'a b' })).rejects.toThrow(
    '"a b" is not a stamp of 1 to 64 letters',
  )
})

it('limits a category upstream by the stand-in, and says how to have one', async () => {
  const collector = fakeCollector({ standIn: true })
  const { recording } = await opened(collector)
  await recording.upstream.limit({ category: 'span', seconds: 60 })
  expect(collector.played()?.answers).toMatchObject([
    { categories: ['span'], times: 1, status: 429, headers: { 'X-Sentry-Rate-Limits': '60:span:organization' } },
  ])
  await recording.upstream.reset()
  expect(collector.played()?.answers).toEqual([])
  await expect(recording.upstream.limit({ category: 'spans', seconds: 60 })).rejects.toThrow(
    'upstream.limit: "spans" is no data category; it is meant as one of error, transaction, span',
  )
  const { recording: without } = await opened(fakeCollector())
  await expect(without.upstream.reset()).rejects.toThrow('WAYSTATION_UPSTREAM=stand-in')
})
