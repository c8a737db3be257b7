import '../../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import { transactionEnvelope } from '../../../flow/envelopes'
import { failureLines, failureMessage, recordedCase } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'

async function withLosses(losses: Awaited<ReturnType<typeof recordedCase>>['collector']['losses']) {
  const { recording, collector } = await recordedCase([transactionEnvelope(DSN).body])
  Object.assign(collector.losses, losses)
  return { recording, collector }
}
const LOST = {
  made: 3,
  accepted: 1,
  lost: 2,
  losses: [{ by: 'sdk' as const, reason: 'ratelimit_backoff', category: 'span', quantity: 2 }],
  sentence: 'made 3, accepted 1, lost 2: 2 ratelimit_backoff of span',
}

it('passes without losses, and with allowed ones', async () => {
  const { recording } = await withLosses({ made: 3, accepted: 3 })
  await expect(recording).toHaveNoLoss()
  const { recording: limited } = await withLosses(LOST)
  await expect(limited).toHaveNoLoss({ allow: ['ratelimit_backoff'] })
  await expect(limited).not.toHaveNoLoss()
})

it('shows what was lost, by whom and why', async () => {
  const { recording } = await withLosses(LOST)
  expect(await failureLines(() => expect(recording).toHaveNoLoss())).toEqual([
    'telemetry was lost (made: 3 error)',
    '',
    'span, ratelimit_backoff: 2 discarded by the SDK',
    '',
    'made 3, accepted 1, lost 2: 2 ratelimit_backoff of span',
  ])
})

it('explains a negated failure', async () => {
  const { recording } = await withLosses({ made: 3, accepted: 3 })
  expect(await failureMessage(() => expect(recording).not.toHaveNoLoss())).toBe(
    'nothing was lost (made: 3 error); expected a loss',
  )
})

it('waits for pending items', async () => {
  const { recording, collector } = await withLosses({ made: 1, pending: 1 })
  const message = expect(recording).toHaveNoLoss()
  setImmediate(() => Object.assign(collector.losses, { pending: 0, accepted: 1 }))
  await message
})

it('fails as soon as upstream has answered, without settling', async () => {
  const { recording, collector } = await withLosses({ ...LOST })
  let answers = 0
  Object.defineProperty(collector.losses, 'pending', { enumerable: true, get: () => (answers++ < 5 ? 1 : 0) })
  const settle = () => Promise.reject(new Error('it was waited for quiet'))
  expect(await failureMessage(() => expect({ ...recording, settle }).toHaveNoLoss())).toContain(
    'telemetry was lost (made: 3 error)',
  )
})

it('is incomplete with pending items, without items and without a collector', async () => {
  const { recording } = await withLosses({ made: 1, pending: 1, sentence: 'made 1, pending 1' })
  const pending = 'still pending: 1 error\n\nmade 1, pending 1'
  expect(await failureMessage(() => expect(recording).toHaveNoLoss())).toBe(pending)
  expect(await failureMessage(() => expect(recording).not.toHaveNoLoss())).toBe(pending)
  const { recording: nothing } = await withLosses({})
  expect(await failureMessage(() => expect(nothing).not.toHaveNoLoss())).toBe(
    'no telemetry was created, so nothing could be lost',
  )
  const { recording: lost, collector } = await withLosses({ made: 1, accepted: 1 })
  collector.die()
  expect(await failureMessage(() => expect(lost).toHaveNoLoss())).toBe(
    'incomplete: reading from the collector failed: the collector cannot be reached',
  )
})

it('rejects invalid reasons', async () => {
  const { recording } = await withLosses(LOST)
  expect(await failureMessage(() => expect(recording).toHaveNoLoss({ allow: 'sample_rate' as never }))).toBe(
    'TypeError: allow must be a list of reasons, such as [\'network_error\'], got "sample_rate"',
  )
})
