import '../../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import { errorEnvelope, transactionEnvelope } from '../../../flow/envelopes'
import { failureMessage, recordedCase } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'

const boom = () => errorEnvelope(DSN, { message: 'boom', breadcrumbs: 3 }).body

it('holds where an error, or a recording, has these breadcrumbs in this order, others between them or not', async () => {
  const { recording } = await recordedCase([boom()])
  const error = await recording.waitFor.error({})
  expect(error).toHaveBreadcrumbs([{ message: 'step 0' }, { message: /2$/ }])
  expect(error).not.toHaveBreadcrumbs([{ message: 'step 2' }, { message: 'step 0' }])
  await expect(recording).toHaveBreadcrumbs([{ category: 'ui.click' }])
})

it('says which is missing, those before it that were found, and what came after', async () => {
  const { recording } = await recordedCase([boom()])
  const wanted = [{ message: 'step 1' }, { category: 'fetch' }]
  const words = [
    'error Error: boom has no breadcrumb 2 of 2, with category "fetch", after the previous one',
    '',
    'found 2. ui.click step 1',
    '',
    'later breadcrumbs:',
    '  ui.click step 2',
    '',
    '  http://localhost:3000/events/<trace>',
  ].join('\n')
  const error = await recording.waitFor.error({})
  expect(await failureMessage(() => expect(error).toHaveBreadcrumbs(wanted))).toBe(words)
  expect(await failureMessage(() => expect(recording).toHaveBreadcrumbs(wanted))).toBe(words)
})

it('negated, says which there are', async () => {
  const { recording } = await recordedCase([boom()])
  expect(await failureMessage(() => expect(recording).not.toHaveBreadcrumbs([{ message: 'step 0' }]))).toBe(
    [
      'error Error: boom has these breadcrumbs in this order; expected not to have them',
      '',
      '1. ui.click step 0',
      '',
      '  http://localhost:3000/events/<trace>',
    ].join('\n'),
  )
})

it('fails both ways where no error came that could carry any', async () => {
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

it('says what was given in place of a list', async () => {
  const { recording } = await recordedCase([boom()])
  expect(await failureMessage(() => expect(recording).toHaveBreadcrumbs({} as never))).toBe(
    "TypeError: expected breadcrumbs must be a non-empty list such as [{ category: 'ui.click' }, { category: 'fetch' }], got {}",
  )
  expect(await failureMessage(() => expect('error').toHaveBreadcrumbs([{}]))).toBe(
    'TypeError: toHaveBreadcrumbs: expect() must receive a recording (telemetry) or an error (await telemetry.waitFor.error(…)), got a string',
  )
})
