import type { Loss } from '../../lib/wire/losses'
import { refusalWords } from '../home/refusal-words'
import { reasonWords } from '../ui/status-text'

/** Who lost it, in two or three words. */
export const BY_WORDS: Readonly<Record<Loss['by'], { readonly word: string; readonly means: string }>> = {
  sdk: { word: 'the SDK', means: 'Before it was sent: its client report says so.' },
  endpoint: {
    word: 'our endpoint',
    means: 'Refused when it came in: counted in envelopes, for what is in them is not known.',
  },
  waystation: { word: 'Waystation', means: 'Cut or filtered here by a rule or a limit, or for want of room or time.' },
  upstream: { word: 'upstream', means: 'Posted, and refused.' },
  person: { word: 'a person', means: 'Dropped by hand.' },
}

/** Discard reasons of client reports, after the SDK documentation's list of them. */
const DISCARDED: ReadonlyMap<string, string> = new Map([
  ['ratelimit_backoff', 'it was told of a limit, and held back until that ended'],
  ['network_error', 'it could not be sent: no connection, or no answer'],
  ['send_error', 'it was sent, and answered with an error'],
  ['queue_overflow', 'its queue was full'],
  ['cache_overflow', 'its cache was full'],
  ['buffer_overflow', 'its buffer was full'],
  ['sample_rate', 'it was not sampled'],
  ['before_send', 'beforeSend, or a function like it, returned nothing'],
  ['event_processor', 'an event processor returned nothing'],
  ['ignored', 'it matched ignoreErrors, ignoreSpans or a rule like them'],
  ['backpressure', 'it was sampled less while the SDK was under pressure'],
  ['internal_sdk_error', 'the SDK failed while it prepared it'],
  ['insufficient_data', 'there was too little in it'],
  ['no_parent_span', 'it had no parent span'],
  ['invalid', 'the SDK itself found it invalid'],
  ['too_large', 'it was too large to be sent'],
])

const HERE: ReadonlyMap<string, string> = new Map([
  ['undelivered_for_24_h', 'it could not be delivered within 24 hours of running'],
  ['dead_letter', 'a dead letter, dropped instead of sent again'],
  ['cleared', 'cleared while it was still pending'],
])

/** Why something was lost, in words; a reason that nobody knows as it is called. */
export function lossReason({ by, reason }: Pick<Loss, 'by' | 'reason'>): string {
  if (by === 'sdk') return DISCARDED.get(reason) ?? reason.replaceAll('_', ' ')
  // The home page has the DSN below these words; here it is elsewhere.
  if (by === 'endpoint') return refusalWords(reason).replace('the local DSN below', 'the local DSN of the home page')
  return HERE.get(reason) ?? reasonWords(reason) ?? reason
}

/** `12 span`, `3 envelopes`: at the endpoint nothing else is counted. */
export const lossUnit = ({ category, quantity }: Pick<Loss, 'category' | 'quantity'>): string =>
  category ?? (quantity === 1 ? 'envelope' : 'envelopes')
