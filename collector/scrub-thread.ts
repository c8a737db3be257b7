import { scrubRequest } from '../lib/otlp/scrub-request'
import { encodingOf, signalOf } from '../lib/otlp/signals'
import type { Endpoint } from '../lib/protocol/request'
import { Removals, type Scrubbed, scrubRecord } from '../lib/scrub/scrub-record'
import { answerCalls, threadPort, transfer } from './runtime/thread-call'
import type { ThreadAnswer } from './scrubber'

/** On a thread, because a body of 100 MB would block the main thread. */
function scrub(
  endpoint: Endpoint,
  given: Uint8Array<ArrayBuffer>,
  mode: 'report' | 'on',
  contentType: string | null,
  givesBack: boolean,
): ThreadAnswer {
  const { body, removed } = scrubAny(endpoint, given, mode, contentType)
  if (body === given) return givesBack ? transfer({ body: given, removed }, [given.buffer]) : { body: null, removed }
  const copy = new Uint8Array(body)
  return transfer({ body: copy, removed }, [copy.buffer])
}

function scrubAny(endpoint: Endpoint, body: Uint8Array, mode: 'report' | 'on', contentType: string | null): Scrubbed {
  const signal = signalOf(endpoint)
  if (signal === null) return scrubRecord(endpoint, body, mode)
  const removals = new Removals()
  const scrubbed = scrubRequest(signal, encodingOf(contentType) ?? 'json', body, removals.at(0))
  return { body: mode === 'on' ? scrubbed : body, removed: removals.listed }
}

answerCalls(threadPort(), { scrub }, () => undefined)
