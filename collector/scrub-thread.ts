import type { Endpoint } from '../lib/protocol/request'
import { scrubRecord } from '../lib/scrub/scrub-record'
import { answerCalls, threadPort } from './runtime/thread-call'
import type { ThreadAnswer } from './scrubber'

/** On a thread, because a body of 100 MB would block the main thread. */
function scrub(endpoint: Endpoint, body: Uint8Array, mode: 'report' | 'on'): ThreadAnswer {
  const scrubbed = scrubRecord(endpoint, body, mode)
  return { body: scrubbed.body === body ? null : new Uint8Array(scrubbed.body), removed: scrubbed.removed }
}

answerCalls(threadPort(), { scrub }, () => undefined)
