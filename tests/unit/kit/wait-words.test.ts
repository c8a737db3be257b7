import { expect, it } from 'vitest'
import { waitWords } from '../../../lib/kit/wait-words'
import { NO_BOARDS } from '../../../lib/verdict/expectations/answer'
import { errorEnvelope } from '../../flow/envelopes'
import { recordedCase } from './recorded-case'

const wordsFor = async (bodies: readonly string[], emptyCollector: string | null = null): Promise<string> => {
  const { recording } = await recordedCase(bodies)
  const ifNothingCame = 'is it telemetry.watch(context)?'
  const evidence = recording.evidence()
  const wait = { kind: 'span', criteria: { op: 'db' }, evidence, emptyCollector, ifNothingCame } as const
  return waitWords(wait, { ended: 'late', afterMs: 1_000 }, NO_BOARDS)
}

it('a wait for what nothing at all came of says what may be amiss', async () => {
  expect(await wordsFor([])).toMatch(/\n\nnothing at all arrived\nis it telemetry\.watch\(context\)\?$/)
  expect(await wordsFor([errorEnvelope('http://local@127.0.0.1:8969/1').body])).not.toContain('watch')
})

it('a wait for what nothing came of asks first whether the app sends to a collector that has nothing at all', async () => {
  const lines = (await wordsFor([], 'http://127.0.0.1:4')).split('\n')
  expect(lines.slice(-2)).toEqual([
    'the collector at http://127.0.0.1:4 had recorded nothing before either: is that the address in the app’s DSN? waystation run gives its own in SENTRY_DSN, and a DSN that is written in the code goes before it',
    expect.stringContaining('telemetry.watch(context)'),
  ])
  const some = await wordsFor([errorEnvelope('http://local@127.0.0.1:8969/1').body], 'http://127.0.0.1:4')
  expect(some).not.toContain('DSN')
})
