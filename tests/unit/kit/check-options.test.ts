import '../../../lib/kit/vitest'
import { expect, it } from 'vitest'
import { startCollector } from '../../../lib/kit/vitest'
import { errorEnvelope } from '../../flow/envelopes'
import { failureMessage, recordedCase } from './recorded-case'

const ERROR = errorEnvelope('http://local@127.0.0.1:8969/1').body

const leaking = (of: object, given: object): unknown => {
  const requested = expect(of)
  return Reflect.apply(requested.toLeakNothing, requested, [given])
}

it.each<[string, object, (recording: Awaited<ReturnType<typeof recordedCase>>['recording'], given: object) => unknown]>(
  [
    [
      'toHaveNoLoss: unknown option alow; did you mean allow?',
      { alow: [] },
      (of, given) => expect(of).toHaveNoLoss(given),
    ],
    [
      'toHaveNoUnexpectedErrors: unknown option alow; did you mean allow?',
      { alow: ['boom'] },
      (of, given) => expect(of).not.toHaveNoUnexpectedErrors(given),
    ],
    [
      'an allowed error has no field untill; did you mean until?',
      { error: 'boom', untill: '2020-01-01' },
      (of, given) => expect(of).toHaveNoUnexpectedErrors({ allow: [given as { error: string }] }),
    ],
    ['toLeakNothing: unknown option alow; did you mean allow?', { alow: [] }, (of, given) => leaking(of, given)],
    ['settle: unknown option idel; did you mean idle?', { idel: 10 }, (of, given) => of.settle(given)],
    [
      'waitFor.error: unknown option timout; did you mean timeout?',
      { timout: 10 },
      (of, given) => of.waitFor.error({}, given),
    ],
    [
      'startCollector: unknown option upsteam; did you mean upstream?',
      { upsteam: 'stand-in' },
      (_, given) => startCollector(given),
    ],
  ],
)('rejects an unknown option: %s', async (sentence, given, use) => {
  const { recording } = await recordedCase([ERROR])
  expect(await failureMessage(async () => use(recording, given))).toBe(`TypeError: ${sentence}`)
})

it('rejects options that are not an object', async () => {
  const { recording } = await recordedCase([ERROR])
  expect(await failureMessage(() => recording.settle(null as never))).toBe(
    'TypeError: settle: options must be { idle, timeout, keepPages }, got null',
  )
})
