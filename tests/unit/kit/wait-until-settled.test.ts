import { expect, it } from 'vitest'
import { errorEnvelope } from '../../flow/envelopes'
import { fakeCollector } from './fake-collector'
import { everythingElse } from './manual-clock'
import { opened } from './opened'

const error = (message: string): string => errorEnvelope('http://local@127.0.0.1:8969/1', { message }).body

it('settles when the journal was read and nothing arrived for the idle time', async () => {
  const { collector, recording, clock } = await opened()
  const settled = recording.settle()
  await clock.advance(200)
  collector.record(error('late'), 'mine')
  await clock.advance(100)
  collector.record(error('of another'), 'theirs')
  await clock.advance(199)
  collector.note()
  await clock.advance(1)
  expect(await settled).toEqual({ settled: true, waitedMs: 500, message: 'nothing arrived for 300 ms' })
  expect(recording.evidence().events).toHaveLength(1)
})

it('starts the idle time with the call', async () => {
  const { collector, recording, clock } = await opened()
  collector.record(error('long ago'), 'mine')
  await clock.advance(1_000)
  const settled = recording.settle()
  await clock.advance(299)
  collector.record(error('just caused'), 'mine')
  await clock.advance(300)
  expect(await settled).toMatchObject({ settled: true, waitedMs: 599 })
})

it('reports telemetry that keeps arriving', async () => {
  const { collector, recording, clock } = await opened()
  const settled = recording.settle({ idle: 100, timeout: 300 })
  for (let n = 0; n < 6; n++) {
    collector.record(error(`again ${n}`), 'mine')
    await clock.advance(60)
  }
  expect(await settled).toMatchObject({
    settled: false,
    message: 'telemetry still arrived after 300 ms; it was never idle for 100 ms',
  })
})

it('reports a time-out shorter than the idle time', async () => {
  const { recording, clock } = await opened()
  const settled = recording.settle({ idle: 400, timeout: 100 })
  await clock.advance(100)
  expect(await settled).toEqual({
    settled: false,
    waitedMs: 100,
    message: 'nothing arrived, but the time-out of 100 ms is shorter than the idle time of 400 ms',
  })
})

it('extends the time-out for a long idle time', async () => {
  const { recording, clock } = await opened(fakeCollector(), { idleMs: 8_000 })
  const settled = recording.settle()
  await clock.advance(8_000)
  expect(await settled).toMatchObject({ settled: true, message: 'nothing arrived for 8000 ms' })
})

it.each([{ idle: -1 }, { idle: Number.NaN }, { timeout: 0 }, { timeout: Number.POSITIVE_INFINITY }])(
  'rejects an invalid duration: %s',
  async (options) => {
    const { recording } = await opened()
    await expect(recording.settle(options)).rejects.toThrow(/^settle: (idle|timeout) must be ms/)
  },
)

it('times out for a frozen collector', async () => {
  const { collector, recording, clock } = await opened()
  await everythingElse()
  collector.freeze()
  const settled = recording.settle({ timeout: 1_000 })
  await clock.advance(1_500)
  expect(await settled).toEqual({
    settled: false,
    waitedMs: 1_500,
    message: 'the collector did not answer within 1500 ms',
  })
  expect(recording.gaps()).toEqual(['the collector did not return all recorded telemetry in time'])
})

it('times out for losses and limits of a frozen collector', async () => {
  const { collector, recording, clock } = await opened()
  collector.freeze()
  const losses = expect(recording.losses()).rejects.toThrow('the collector did not answer within 5 s')
  const limits = expect(recording.limits()).rejects.toThrow('the collector did not answer within 5 s')
  await clock.advance(5_000)
  await Promise.all([losses, limits])
})
