import type { Door } from '../lib/protocol/door'
import { scrubRecord } from '../lib/scrub/scrub-record'
import { answerCalls, threadPort } from './runtime/thread-call'
import type { Answered } from './scrubber'

/** Looks for secrets beside the main thread: a body may be a hundred megabytes of them. */
function scrub(door: Door, body: Uint8Array, mode: 'report' | 'on'): Answered {
  const scrubbed = scrubRecord(door, body, mode)
  return { body: scrubbed.body === body ? null : new Uint8Array(scrubbed.body), removed: scrubbed.removed }
}

answerCalls(threadPort(), { scrub }, () => undefined)
