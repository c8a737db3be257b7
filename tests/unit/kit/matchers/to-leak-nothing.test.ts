import '../../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import { errorEnvelope } from '../../../flow/envelopes'
import { eventOf } from '../../verdict/rules/sample-evidence'
import { failureLines, failureMessage, recordedCase } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'

it('passes without secrets', async () => {
  const { recording } = await recordedCase([errorEnvelope(DSN).body])
  await expect(recording).toLeakNothing()
})

it('names kind and position, never the value', async () => {
  const message = 'mail jane.doe@example.com, card 4111 1111 1111 1111'
  const { recording } = await recordedCase([errorEnvelope(DSN, { message }).body])
  await expect(recording).not.toLeakNothing()
  expect(await failureLines(() => expect(recording).toLeakNothing())).toEqual([
    '2 secrets were sent',
    '',
    'card: a card number of 13 to 19 digits with a valid check digit (***)',
    '  event item of envelope 1, exception.values.0.value',
    '  http://localhost:3000/events/<trace>',
    'email: an e-mail address (***@example.com)',
    '  event item of envelope 1, exception.values.0.value',
    '  http://localhost:3000/events/<trace>',
    '',
    'Remove it in the code that sets it or in beforeSend, and set sendDefaultPii: false. WAYSTATION_SCRUB removes it before relaying. Is it no secret? Add its path or a pattern to privacy: { allow: [{ path, pattern }] }.',
  ])
})

it('reports a path once, and counts all secrets', async () => {
  const { recording } = await recordedCase(
    Array.from({ length: 12 }, () => errorEnvelope(DSN, { message: 'mail jane.doe@example.com' }).body),
  )
  const words = await failureMessage(() => expect(recording).toLeakNothing())
  expect(words).toMatch(/^12 secrets of 1 kind were sent\n/)
  expect(words?.match(/email: /g)).toHaveLength(1)
  expect(words).toContain('\n  event item of envelope 1, the first of 12, exception.values.0.value\n')
})

it('lists the first kinds and counts the others', async () => {
  const keys = Array.from({ length: 12 }, (_, index) => [`token_${index}`, 'hunter2hunter2'])
  const event = eventOf({ extra: { mail: 'jane.doe@example.com', ...Object.fromEntries(keys) } })
  const { recording } = await recordedCase([event])
  const words = await failureMessage(() => expect(recording).toLeakNothing())
  expect(words).toMatch(/^13 secrets were sent\n/)
  expect(words?.match(/key: /g)).toHaveLength(10)
  expect(words).toContain('\nand 3 more\n')
})

it('explains a negated failure', async () => {
  const { recording } = await recordedCase([errorEnvelope(DSN).body])
  expect(await failureMessage(() => expect(recording).not.toLeakNothing())).toBe('no secrets were sent; expected some')
})

it('is incomplete without readable text', async () => {
  const { recording } = await recordedCase([])
  const words = 'No secrets are sent: No item with readable text was recorded.'
  expect(await failureMessage(() => expect(recording).toLeakNothing())).toBe(words)
  expect(await failureMessage(() => expect(recording).not.toLeakNothing())).toBe(words)
})

it('passes with an allowlist that contains the value, by pattern and by path', async () => {
  const { recording } = await recordedCase([errorEnvelope(DSN, { message: 'mail jane.doe@example.com' }).body])
  await expect(recording).toLeakNothing({ allow: [{ pattern: /^jane\.doe@/, why: 'a test account' }] })
  await expect(recording).toLeakNothing({ allow: [{ path: 'exception.values.*.value' }] })
  await expect(recording).not.toLeakNothing({ allow: [{ path: 'exception.values.*.value', pattern: /^john@/ }] })
})

it('rejects an allowlist that allows everything or nothing', async () => {
  const { recording } = await recordedCase([])
  expect(await failureMessage(() => expect(recording).toLeakNothing({ allow: [{}] }))).toBe(
    'TypeError: toLeakNothing: allow.0: an allowed value needs a path such as breadcrumbs.*.message, a pattern such as /^test_/, or both',
  )
})

it('rejects invalid arguments', async () => {
  expect(await failureMessage(() => expect([]).toLeakNothing())).toBe(
    'TypeError: toLeakNothing: expect() must receive a recording (telemetry), got a list',
  )
})
