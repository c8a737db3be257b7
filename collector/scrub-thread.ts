import type { Endpoint } from '../lib/protocol/request'
import { scrubRecord } from '../lib/scrub/scrub-record'
import { answerCalls, threadPort } from './runtime/thread-call'
import type { Answered } from './scrubber'

/** Looks for secrets beside the main thread: a body may be a hundred megabytes of them. */
function scrub(endpoint: Endpoint, body: Uint8Array, mode: 'report' | 'on'): Answered {
  const scrubbed = scrubRecord(endpoint, body, mode)
  return { body: scrubbed.body === body ? null : new Uint8Array(scrubbed.body), removed: scrubbed.removed }
}

answerCalls(threadPort(), { scrub }, () => undefined)
