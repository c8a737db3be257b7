import '../../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import type { Recording } from '../../../../lib/kit/recording'
import { transactionEnvelope } from '../../../flow/envelopes'
import { failureMessage, recordedCase } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'
const pageload = () => transactionEnvelope(DSN, { children: 0 }).body

/** The first lines of the failures of an expectation and its negation, which are equal for `incomplete`. */
async function bothWays(recording: Recording) {
  const ways = [
    () => expect(recording).toHaveSpan({ op: 'db' }),
    () => expect(recording).not.toHaveSpan({ op: 'db' }),
    () => expect(recording).toHaveNoLoss(),
    () => expect(recording).not.toHaveNoLoss(),
  ]
  const messages = []
  for (const way of ways) messages.push((await failureMessage(way))?.split('\n')[0])
  return new Set(messages)
}
const unjudged = (why: string) => new Set([`incomplete: ${why}`])

it('is incomplete if telemetry does not settle', async () => {
  const { recording, collector } = await recordedCase([pageload()])
  Object.assign(collector.losses, { made: 1, accepted: 1 })
  const message = 'telemetry still arrived after 5000 ms'
  const restless = { ...recording, settle: async () => ({ settled: false, waitedMs: 5_000, message }) }
  expect(await bothWays(restless)).toEqual(unjudged(message))
  await expect(restless).toHaveSpan({ op: 'pageload' })
})

it('is incomplete if not everything could be read', async () => {
  const { recording, collector } = await recordedCase([pageload()])
  Object.assign(collector.losses, { made: 1, accepted: 1 })
  collector.damage(2)
  collector.record(pageload(), 'mine')
  expect(await bothWays(recording)).toEqual(unjudged('envelope 2 cannot be read: its bytes on disk are damaged'))
})

it('is incomplete for a frozen collector, after a time-out', async () => {
  const { recording, collector } = await recordedCase([pageload()])
  collector.freeze()
  const [why, ...more] = await bothWays(recording)
  expect(why).toBe(
    'incomplete: the collector did not answer within 5500 ms; the collector did not return all recorded telemetry in time',
  )
  expect(more).toEqual([])
})
