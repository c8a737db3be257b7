import { encodingOf } from '../lib/otlp/decode'
import { scrubRequest } from '../lib/otlp/scrub-request'
import { signalOf } from '../lib/otlp/traverse-otlp'
import type { Endpoint } from '../lib/protocol/request'
import { Removals, type Scrubbed, scrubRecord } from '../lib/scrub/scrub-record'
import { answerCalls, threadPort } from './runtime/thread-call'
import type { ThreadAnswer } from './scrubber'

/** On a thread, because a body of 100 MB would block the main thread. */
function scrub(endpoint: Endpoint, body: Uint8Array, mode: 'report' | 'on', contentType: string | null): ThreadAnswer {
  const scrubbed = scrubAny(endpoint, body, mode, contentType)
  return { body: scrubbed.body === body ? null : new Uint8Array(scrubbed.body), removed: scrubbed.removed }
}

function scrubAny(endpoint: Endpoint, body: Uint8Array, mode: 'report' | 'on', contentType: string | null): Scrubbed {
  const signal = signalOf(endpoint)
  if (signal === null) return scrubRecord(endpoint, body, mode)
  const removals = new Removals()
  const scrubbed = scrubRequest(signal, encodingOf(contentType) ?? 'json', body, removals.at(0))
  return { body: mode === 'on' ? scrubbed : body, removed: removals.listed }
}

answerCalls(threadPort(), { scrub }, () => undefined)
