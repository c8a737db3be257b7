import { answerCalls, threadPort } from '../runtime/thread-call'
import { fillZstd, measureZstd } from './zstd'

/** Decodes zstd beside the main thread: a decoder in JavaScript would keep everybody waiting. */
answerCalls(threadPort(), { measure: measureZstd, fill: fillZstd }, () => undefined)
