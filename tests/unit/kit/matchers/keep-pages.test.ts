import '../../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import type { SettleOptions } from '../../../../lib/kit/wait-until-settled'
import { errorEnvelope } from '../../../flow/envelopes'
import { failureMessage, recordedCase } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'

/** The settle options that an expectation uses. */
async function requested(expectation: (recording: object) => unknown): Promise<readonly (boolean | undefined)[]> {
  const { recording } = await recordedCase([errorEnvelope(DSN).body])
  const all: (boolean | undefined)[] = []
  const settle = (given: SettleOptions = {}) => {
    all.push(given.keepPages)
    return recording.settle(given)
  }
  await failureMessage(() => expectation({ ...recording, settle }))
  return all
}

it.each<[string, (recording: object) => unknown]>([
  ['toLeakNothing', (recording) => expect(recording).toLeakNothing()],
  ['toHaveNoLoss', (recording) => expect(recording).toHaveNoLoss()],
  ['toKeepTheContract', (recording) => expect(recording).toKeepTheContract({ only: ['environment'] })],
  ['not.toHaveSpan', (recording) => expect(recording).not.toHaveSpan({ op: 'db' })],
  ['not.toHaveSpanTree', (recording) => expect(recording).not.toHaveSpanTree('db')],
  ['not.toHaveBreadcrumbs', (recording) => expect(recording).not.toHaveBreadcrumbs([{ category: 'never' }])],
])('closes pages first: %s', async (_name, expectation) => {
  expect(await requested(expectation)).toEqual([false])
})

it.each<[string, (recording: object) => unknown]>([
  ['toBackOff', (recording) => expect(recording).toBackOff('error')],
  ['toHaveSpan', (recording) => expect(recording).toHaveSpan({ op: 'db' })],
  ['toHaveSpanTree', (recording) => expect(recording).toHaveSpanTree('db')],
  ['toHaveBreadcrumbs', (recording) => expect(recording).toHaveBreadcrumbs([{ category: 'never' }])],
])('keeps pages open: %s', async (_name, expectation) => {
  expect(await requested(expectation)).toEqual([true])
})
