import '../../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import type { PageLimit } from '../../../../lib/wire/limits'
import { transactionEnvelope } from '../../../flow/envelopes'
import { itemLabel, recordedCase } from '../recorded-case'

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
  expect(await itemLabel(() => expect(recording).toBackOff('transaction'))).toBe(
    [
      '1 page went on sending transaction while it was limited',
      '',
      'page page-1 (envelope 1, item 0)',
      '  expected none for 60.00 s, got transaction 2.00 s after it was told',
      '  http://localhost:3000/envelopes/1',
    ].join('\n'),
  )
})

it('negated, says that it did', async () => {
  const recording = await told([{}])
  expect(await itemLabel(() => expect(recording).not.toBackOff('transaction'))).toBe(
    '1 page kept to the limit of transaction, and was to break it',
  )
})

it('fails both ways where no page was told a limit, or one runs still', async () => {
  const recording = await told([{ page: 'page-of-another' }])
  const words =
    'no page was told a limit of transaction; a page is told by the answer to its next post, behind the one that was refused'
  expect(await itemLabel(() => expect(recording).toBackOff('transaction'))).toBe(words)
  expect(await itemLabel(() => expect(recording).not.toBackOff('transaction'))).toBe(words)
  const running = await told([{ verdict: 'waiting' }])
  expect(await itemLabel(() => expect(running).toBackOff('transaction'))).toBe(
    'a limit of transaction runs still, and nothing broke it so far: wait for its end, or make it shorter',
  )
})

it('names the category that was meant', async () => {
  const recording = await told([{}])
  expect(await itemLabel(() => expect(recording).toBackOff('transactions'))).toBe(
    'TypeError: toBackOff wants a data category: "transactions" is none, did you mean transaction?',
  )
})
