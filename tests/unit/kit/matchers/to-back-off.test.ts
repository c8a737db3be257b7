import '../../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import type { PageLimit } from '../../../../lib/wire/limits'
import { transactionEnvelope } from '../../../flow/envelopes'
import { pageLimitOf } from '../../dashboards/status-samples'
import { failureLines, failureMessage, recordedCase } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'

async function message(pages: readonly Partial<PageLimit>[]) {
  const { recording, collector } = await recordedCase([transactionEnvelope(DSN).body], { page: 'page-1' })
  collector.limits.pages = pages.map((one) => pageLimitOf(one))
  return recording
}
const BROKE = { verdict: 'violated', violated: { seq: 1, at: 3_000, afterMs: 2_000 } } as const

it('passes if the recording’s pages obeyed the limit', async () => {
  const recording = await message([{}, { ...BROKE, page: 'page-of-another' }])
  await expect(recording).toBackOff('transaction')
  await expect(await message([BROKE])).not.toBackOff('transaction')
})

it('names the page, category and delay', async () => {
  const recording = await message([BROKE])
  expect(await failureLines(() => expect(recording).toBackOff('transaction'))).toEqual([
    '1 page sent transaction while it was limited',
    '',
    'page page-1 (envelope 1, item 0)',
    '  expected none for 1 min, got transaction 2 s after the limit was sent',
    '  http://localhost:3000/envelopes/1',
  ])
})

it('explains a negated failure', async () => {
  const recording = await message([{}])
  expect(await failureMessage(() => expect(recording).not.toBackOff('transaction'))).toBe(
    '1 page obeyed the rate limit for transaction; expected a violation',
  )
})

it('is incomplete without a limit and during a limit', async () => {
  const recording = await message([{ page: 'page-of-another' }])
  const words =
    'no page was sent a rate limit for transaction; a page receives a limit with the answer to its next post after the refused one'
  expect(await failureMessage(() => expect(recording).toBackOff('transaction'))).toBe(words)
  expect(await failureMessage(() => expect(recording).not.toBackOff('transaction'))).toBe(words)
  const running = await message([{ verdict: 'waiting' }])
  expect(await failureMessage(() => expect(running).toBackOff('transaction'))).toBe(
    'a rate limit for transaction is still active and was not violated so far; wait for its end, or use a shorter limit',
  )
})

it('suggests a category', async () => {
  const recording = await message([{}])
  expect(await failureMessage(() => expect(recording).toBackOff('transactions'))).toBe(
    'TypeError: toBackOff: the category must be a data category, got "transactions"; did you mean transaction?',
  )
})
