import '../../../../lib/testing/vitest'
import { expect, it } from 'vitest'
import { errorEnvelope } from '../../../flow/envelopes'
import { recordedCase, wordsOf } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'

it('holds where no secret is in what was sent', async () => {
  const { recording } = await recordedCase([errorEnvelope(DSN).body])
  await expect(recording).toLeakNothing()
})

it('says where and what kind, and never the value', async () => {
  const { recording } = await recordedCase([errorEnvelope(DSN, { message: 'mail jane.doe@example.com' }).body])
  await expect(recording).not.toLeakNothing()
  expect(await wordsOf(() => expect(recording).toLeakNothing())).toBe(
    [
      'secrets were sent: 1 finding',
      '',
      'event item of envelope 1 (envelope 1, item 0)',
      '  exception.values.0.value: seen email: an e-mail address, wanted nothing of the kind',
      '  http://localhost:3000/events/<trace>',
      '',
      'Take it out in beforeSend or where it is set, sendDefaultPii off; WAYSTATION_SCRUB takes it out on its way.',
    ].join('\n'),
  )
})

it('negated, says that there is none', async () => {
  const { recording } = await recordedCase([errorEnvelope(DSN).body])
  expect(await wordsOf(() => expect(recording).not.toLeakNothing())).toBe(
    'Nothing secret is sent: that holds, and was not to hold',
  )
})

it('fails both ways where nothing was sent that has words', async () => {
  const { recording } = await recordedCase([])
  const words = 'Nothing secret is sent: No item was recorded whose words could be read.'
  expect(await wordsOf(() => expect(recording).toLeakNothing())).toBe(words)
  expect(await wordsOf(() => expect(recording).not.toLeakNothing())).toBe(words)
})

it('says what was given in place of a recording', async () => {
  expect(await wordsOf(() => expect([]).toLeakNothing())).toBe(
    'TypeError: toLeakNothing: expect() was given a list, and is meant to be given a recording (telemetry)',
  )
})
