import { expect, it } from 'vitest'
import { NO_BOARDS } from '../../../lib/expectations/answer'
import { waitWords } from '../../../lib/testing/wait-words'
import { errorEnvelope } from '../../flow/envelopes'
import { recordedCase } from './recorded-case'

const wordsFor = async (bodies: readonly string[]): Promise<string> => {
  const { recording } = await recordedCase(bodies)
  const wait = { kind: 'span', criteria: { op: 'db' }, evidence: recording.evidence() } as const
  return waitWords(wait, { ended: 'late', afterMs: 1_000 }, NO_BOARDS)
}

it('a wait for what nothing at all came of names what takes a context in', async () => {
  expect(await wordsFor([])).toMatch(/\n\nnothing at all arrived\nin Playwright, .* after telemetry\.watch\(context\)$/)
  expect(await wordsFor([errorEnvelope('http://local@127.0.0.1:8969/1').body])).not.toContain('watch')
})
