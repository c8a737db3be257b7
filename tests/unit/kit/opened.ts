import { onTestFinished } from 'vitest'
import { openRecording, type Recording, type RecordingPlan } from '../../../lib/kit/recording'
import { type FakeCollector, fakeCollector } from './fake-collector'
import { type ManualClock, manualClock } from './manual-clock'

/** A recording of a fake collector with a manual clock; closed at the end of the test. */
export async function opened(
  collector = fakeCollector(),
  plan: Partial<RecordingPlan> = {},
): Promise<{ readonly collector: FakeCollector; readonly recording: Recording; readonly clock: ManualClock }> {
  const clock = manualClock()
  const recording = await openRecording({ client: collector.client, stamp: 'mine', clock, ...plan })
  onTestFinished(async () => {
    await recording.close()
  })
  return { collector, recording, clock }
}
