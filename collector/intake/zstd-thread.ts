import { answerCalls, threadPort } from '../runtime/thread-call'
import { fillZstd, measureZstd, startZstd } from './zstd'

/** A JavaScript decoder would block the main thread. */
answerCalls(
  threadPort(),
  { ready: () => true, measure: measureZstd, fill: fillZstd, start: startZstd },
  () => undefined,
)
