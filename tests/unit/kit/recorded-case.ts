import { onTestFinished } from 'vitest'
import { openRecording, type Recording } from '../../../lib/kit/recording'
import { type FakeCollector, fakeCollector } from './fake-collector'
import { hastyClock } from './manual-clock'

/** A recording with these envelopes, and its collector for further ones. */
export async function recordedCase(
  bodies: readonly string[],
  given: { readonly page?: string } = {},
): Promise<{ readonly recording: Recording; readonly collector: FakeCollector }> {
  const collector = fakeCollector()
  const recording = await openRecording({
    client: collector.client,
    stamp: 'mine',
    clock: hastyClock(),
    appUrl: 'http://localhost:3000',
  })
  onTestFinished(async () => {
    await recording.close()
  })
  for (const body of bodies) collector.record(body, 'mine', given.page ?? null)
  await recording.settle()
  return { recording, collector }
}

/** The failure message of an expectation, with ids as `<trace>` and `<span>`; `null` if it passes. */
export async function failureMessage(expectation: () => unknown): Promise<string | null> {
  try {
    await expectation()
    return null
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const words = `${error instanceof TypeError ? 'TypeError: ' : ''}${error.message}`
    return words.replace(/[0-9a-f]{32}/g, '<trace>').replace(/[0-9a-f]{16}/g, '<span>')
  }
}

/** The lines of a failure message; none if the expectation passes. */
export const failureLines = async (expectation: () => unknown): Promise<readonly string[]> =>
  (await failureMessage(expectation))?.split('\n') ?? []
