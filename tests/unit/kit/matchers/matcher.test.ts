import '../../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import type { Recording } from '../../../../lib/kit/recording'
import { transactionEnvelope } from '../../../flow/envelopes'
import { itemLabel, recordedCase } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'
const pageload = () => transactionEnvelope(DSN, { children: 0 }).body

/** What the first line says, as it is asked for and negated: that of what cannot be judged is the same. */
async function bothWays(recording: Recording) {
  const ways = [
    () => expect(recording).toHaveSpan({ op: 'db' }),
    () => expect(recording).not.toHaveSpan({ op: 'db' }),
    () => expect(recording).toHaveNoLoss(),
    () => expect(recording).not.toHaveNoLoss(),
  ]
  const said = []
  for (const way of ways) said.push((await itemLabel(way))?.split('\n')[0])
  return new Set(said)
}
const unjudged = (why: string) => new Set([`this cannot be judged: ${why}`])

it('of what is not yet quiet nothing is said that more could change', async () => {
  const { recording, collector } = await recordedCase([pageload()])
  Object.assign(collector.losses, { made: 1, accepted: 1 })
  const sentence = 'something still came after 5000 ms'
  const restless = { ...recording, settle: async () => ({ settled: false, waitedMs: 5_000, sentence }) }
  expect(await bothWays(restless)).toEqual(unjudged(sentence))
  await expect(restless).toHaveSpan({ op: 'pageload' })
})

it('of what could not all be read nothing is said that the rest could change', async () => {
  const { recording, collector } = await recordedCase([pageload()])
  Object.assign(collector.losses, { made: 1, accepted: 1 })
  collector.damage(2)
  collector.record(pageload(), 'mine')
  expect(await bothWays(recording)).toEqual(unjudged('the bytes of envelope 2 cannot be read any more'))
})

it('of a collector that takes requests and answers none it is said, and not waited for for ever', async () => {
  const { recording, collector } = await recordedCase([pageload()])
  collector.freeze()
  const [why, ...more] = await bothWays(recording)
  expect(why).toBe(
    'this cannot be judged: the collector did not answer within 5500 ms; the collector did not answer in time what else it has recorded',
  )
  expect(more).toEqual([])
})
