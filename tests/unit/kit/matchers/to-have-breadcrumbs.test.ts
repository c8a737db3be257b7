import '../../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import { errorEnvelope, transactionEnvelope } from '../../../flow/envelopes'
import { failureLines, failureMessage, recordedCase } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'

const boom = () => errorEnvelope(DSN, { message: 'boom', breadcrumbs: 3 }).body

it('passes for breadcrumbs in this order, with others in between', async () => {
  const { recording } = await recordedCase([boom()])
  const error = await recording.waitFor.error({})
  expect(error).toHaveBreadcrumbs([{ message: 'step 0' }, { message: /2$/ }])
  expect(error).not.toHaveBreadcrumbs([{ message: 'step 2' }, { message: 'step 0' }])
  await expect(recording).toHaveBreadcrumbs([{ category: 'ui.click' }])
})

it('shows the missing breadcrumb, the found ones and later ones', async () => {
  const { recording } = await recordedCase([boom()])
  const expected = [{ message: 'step 1' }, { category: 'fetch' }]
  const words = [
    'error Error: boom has no breadcrumb 2 of 2, with category "fetch", after the previous one',
    '',
    'found 2. ui.click step 1',
    '',
    'later breadcrumbs:',
    '  ui.click step 2',
    '',
    'nearest: 3. ui.click step 2',
    '  category  expected "fetch", got "ui.click"',
    '',
    '  http://localhost:3000/events/<trace>',
  ].join('\n')
  const error = await recording.waitFor.error({})
  expect(await failureMessage(() => expect(error).toHaveBreadcrumbs(expected))).toBe(words)
  expect(await failureMessage(() => expect(recording).toHaveBreadcrumbs(expected))).toBe(words)
})

it('explains a negated failure', async () => {
  const { recording } = await recordedCase([boom()])
  expect(await failureLines(() => expect(recording).not.toHaveBreadcrumbs([{ message: 'step 0' }]))).toEqual([
    'error Error: boom has these breadcrumbs in this order; expected not to have them',
    '',
    '1. ui.click step 0',
    '',
    '  http://localhost:3000/events/<trace>',
  ])
})

it('is incomplete without errors', async () => {
  const { recording } = await recordedCase([transactionEnvelope(DSN, { children: 0 }).body])
  const words = [
    'no event with breadcrumbs arrived; breadcrumbs are sent with an error',
    '',
    'what arrived:',
    '  1 transaction: pageload /checkout',
    '  1 span: pageload /checkout',
  ].join('\n')
  expect(await failureMessage(() => expect(recording).toHaveBreadcrumbs([{}]))).toBe(words)
  expect(await failureMessage(() => expect(recording).not.toHaveBreadcrumbs([{}]))).toBe(words)
})

it('rejects invalid arguments', async () => {
  const { recording } = await recordedCase([boom()])
  expect(await failureMessage(() => expect(recording).toHaveBreadcrumbs({} as never))).toBe(
    "TypeError: expected breadcrumbs must be a non-empty list such as [{ category: 'ui.click' }, { category: 'fetch' }], got {}",
  )
  expect(await failureMessage(() => expect('error').toHaveBreadcrumbs([{}]))).toBe(
    'TypeError: toHaveBreadcrumbs: expect() must receive a recording (telemetry) or an error (await telemetry.waitFor.error(…)), got a string',
  )
})
