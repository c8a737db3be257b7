import '../../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import { errorEnvelope, transactionEnvelope } from '../../../flow/envelopes'
import { failureLines, failureMessage, recordedCase } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'

const boom = () => errorEnvelope(DSN, { message: 'boom' }).body

it('passes without errors, and with allowed ones', async () => {
  const { recording } = await recordedCase([transactionEnvelope(DSN).body])
  await expect(recording).toHaveNoUnexpectedErrors()
  const { recording: known } = await recordedCase([boom()])
  await expect(known).toHaveNoUnexpectedErrors({ allow: ['boom'] })
  await expect(known).toHaveNoUnexpectedErrors({ allow: [/^Error: b/] })
  await expect(known).toHaveNoUnexpectedErrors({ allow: [{ error: 'boom', until: '2026-11-20', why: '#12' }] })
  await expect(known).not.toHaveNoUnexpectedErrors({ allow: ['bang'] })
})

it('fails at once with error and link', async () => {
  const { recording } = await recordedCase([boom()])
  expect(await failureLines(() => expect(recording).toHaveNoUnexpectedErrors())).toEqual([
    '1 unexpected error',
    '',
    'Error: boom (envelope 1, item 0)',
    '  expected no unexpected errors, got error, browser',
    '  http://localhost:3000/events/<trace>',
    '',
    "if the test causes it on purpose: recording.allow('Error: boom')",
  ])
})

it('names an expired entry', async () => {
  const { recording } = await recordedCase([boom()])
  const allow = [{ error: 'boom', until: '2026-11-19', why: '#12' }]
  expect(await failureMessage(() => expect(recording).toHaveNoUnexpectedErrors({ allow }))).toContain(
    'expected none: "boom" was allowed until 2026-11-19 (#12)',
  )
})

it('passes with errors that the test allows', async () => {
  const { recording } = await recordedCase([boom()])
  await expect({ ...recording, allowed: () => [{ error: 'boom' }] }).toHaveNoUnexpectedErrors()
})

it('explains a negated failure', async () => {
  const { recording } = await recordedCase([boom()])
  expect(await failureMessage(() => expect(recording).not.toHaveNoUnexpectedErrors({ allow: ['boom'] }))).toBe(
    'no unexpected error arrived; expected one\n\nnot counted: 1 allowed error',
  )
})

it('is incomplete without telemetry, or with unreadable submissions', async () => {
  const { recording: nothing } = await recordedCase([])
  const none = 'Nothing was recorded, so errors cannot be ruled out.'
  expect(await failureMessage(() => expect(nothing).toHaveNoUnexpectedErrors())).toBe(none)
  expect(await failureMessage(() => expect(nothing).not.toHaveNoUnexpectedErrors())).toBe(none)
  const { recording, collector } = await recordedCase([transactionEnvelope(DSN).body])
  collector.die()
  const lost = 'incomplete: reading from the collector failed: the collector cannot be reached'
  expect(await failureMessage(() => expect(recording).toHaveNoUnexpectedErrors())).toBe(lost)
  expect(await failureMessage(() => expect(recording).not.toHaveNoUnexpectedErrors())).toBe(lost)
})

it('rejects an invalid allowlist', async () => {
  const { recording } = await recordedCase([boom()])
  expect(await failureMessage(() => expect(recording).toHaveNoUnexpectedErrors({ allow: 'boom' as never }))).toBe(
    "TypeError: toHaveNoUnexpectedErrors: allow must be a list such as ['ResizeObserver', /^Abort/]",
  )
})
