import '../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import { startCollector } from '../../../lib/kit/vitest'
import { errorEnvelope } from '../../flow/envelopes'
import { itemLabel, recordedCase } from './recorded-case'

const ERROR = errorEnvelope('http://local@127.0.0.1:8969/1').body

const leaking = (of: object, given: object): unknown => {
  const asked = expect(of)
  return Reflect.apply(asked.toLeakNothing, asked, [given])
}

it.each<[string, object, (recording: Awaited<ReturnType<typeof recordedCase>>['recording'], given: object) => unknown]>(
  [
    [
      'toHaveNoLoss: alow is no option; did you mean allow?',
      { alow: [] },
      (of, given) => expect(of).toHaveNoLoss(given),
    ],
    [
      'toHaveNoUnexpectedErrors: alow is no option; did you mean allow?',
      { alow: ['boom'] },
      (of, given) => expect(of).not.toHaveNoUnexpectedErrors(given),
    ],
    [
      'an allowed error has no untill: did you mean until?',
      { error: 'boom', untill: '2020-01-01' },
      (of, given) => expect(of).toHaveNoUnexpectedErrors({ allow: [given as { error: string }] }),
    ],
    ['toLeakNothing takes no options, and was given { allow }', { allow: [] }, (of, given) => leaking(of, given)],
    ['settle: quite is no option; did you mean quiet?', { quite: 10 }, (of, given) => of.settle(given)],
    [
      'waitFor.error: timout is no option; did you mean timeout?',
      { timout: 10 },
      (of, given) => of.waitFor.error({}, given),
    ],
    [
      'startCollector: upsteam is no option; did you mean upstream?',
      { upsteam: 'stand-in' },
      (_, given) => startCollector(given),
    ],
  ],
)('refuses a name that nobody reads: %s', async (sentence, given, use) => {
  const { recording } = await recordedCase([ERROR])
  expect(await itemLabel(async () => use(recording, given))).toBe(`TypeError: ${sentence}`)
})

it('says what options are meant as where none were given', async () => {
  const { recording } = await recordedCase([ERROR])
  expect(await itemLabel(() => recording.settle(null as never))).toBe(
    'TypeError: settle: options are null, and are meant as { quiet, timeout, keepPages }',
  )
})
