import '../../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import type { PageLimit } from '../../../../lib/wire/limits'
import { transactionEnvelope } from '../../../flow/envelopes'
import { failureMessage, recordedCase } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'

async function told(pages: readonly Partial<PageLimit>[]) {
  const { recording, collector } = await recordedCase([transactionEnvelope(DSN).body], { page: 'page-1' })
  const page: PageLimit = {
    page: 'page-1',
    upstream: 'sentry.io, project 1',
    category: 'transaction',
    sentAt: 1_000,
    until: 61_000,
    sentWith: 1,
    violated: null,
    resumed: null,
    verdict: 'obeyed',
  }
  collector.limits.pages = pages.map((one) => ({ ...page, ...one }))
  return recording
}
const BROKE = { verdict: 'violated', violated: { seq: 1, at: 3_000, afterMs: 2_000 } } as const

it('holds where the recording’s pages kept to a limit, whatever pages of others did', async () => {
  const recording = await told([{}, { ...BROKE, page: 'page-of-another' }])
  await expect(recording).toBackOff('transaction')
  await expect(await told([BROKE])).not.toBackOff('transaction')
})

it('says which page went on, with what and when', async () => {
  const recording = await told([BROKE])
  expect(await failureMessage(() => expect(recording).toBackOff('transaction'))).toBe(
    [
      '1 page sent transaction while it was limited',
      '',
      'page page-1 (envelope 1, item 0)',
      '  expected none for 1 min, got transaction 2 s after the limit was sent',
      '  http://localhost:3000/envelopes/1',
    ].join('\n'),
  )
})

it('negated, says that it did', async () => {
  const recording = await told([{}])
  expect(await failureMessage(() => expect(recording).not.toBackOff('transaction'))).toBe(
    '1 page obeyed the rate limit for transaction; expected a violation',
  )
})

it('fails both ways where no page was told a limit, or one runs still', async () => {
  const recording = await told([{ page: 'page-of-another' }])
  const words =
    'no page was sent a rate limit for transaction; a page receives a limit with the answer to its next post after the refused one'
  expect(await failureMessage(() => expect(recording).toBackOff('transaction'))).toBe(words)
  expect(await failureMessage(() => expect(recording).not.toBackOff('transaction'))).toBe(words)
  const running = await told([{ verdict: 'waiting' }])
  expect(await failureMessage(() => expect(running).toBackOff('transaction'))).toBe(
    'a rate limit for transaction is still active and was not violated so far; wait for its end, or use a shorter limit',
  )
})

it('names the category that was meant', async () => {
  const recording = await told([{}])
  expect(await failureMessage(() => expect(recording).toBackOff('transactions'))).toBe(
    'TypeError: toBackOff: the category must be a data category, got "transactions"; did you mean transaction?',
  )
})
