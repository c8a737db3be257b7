import { ENVELOPE_ERRORS } from '../../lib/protocol/envelope'
import type { DeliveryStatusName } from '../../lib/protocol/outcome'
import { writeFilter } from '../../lib/wire/filter'
import type { Loss } from '../../lib/wire/losses'
import { typeOfCategory } from '../ui/labels'
import { reasonText } from '../ui/status-text'

/** Who lost it, in two or three words. */
export const BY_TEXT: Readonly<Record<Loss['by'], { readonly word: string; readonly means: string }>> = {
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
  if (by === 'endpoint') return refusalText(reason).replace('the local DSN below', 'the local DSN of the home page')
  return HERE.get(reason) ?? reasonText(reason) ?? reason
}

/** `12 span`, `3 envelopes`: at the endpoint nothing else is counted. */
export const lossUnit = ({ category, quantity }: Pick<Loss, 'category' | 'quantity'>): string =>
  category ?? (quantity === 1 ? 'envelope' : 'envelopes')

const AT_THE_ENDPOINT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    origin: 'a page of a foreign origin; add it to WAYSTATION_ORIGINS if it is yours',
    unknown_project: 'a key or project that is not relayed; use the local DSN below',
    no_key: 'no public key; give the SDK the local DSN below',
    multiple_auth: 'the key came more than once, or by header and by query; let the program send one',
    version: 'a protocol newer than is known here; see whether the SDK or what imitates it is right',
    content_type: 'not the type of a browser’s report; see what posts to the address of reports',
    in_flight: 'too many bytes at once; raise in_flight in WAYSTATION_LIMITS, or let programs send in turn',
    malformed_key: 'the key is not a public key; copy the local DSN below whole',
    malformed_project: 'the project in the path is not a number; copy the local DSN below whole',
    malformed_dsn: 'the DSN inside the envelope cannot be read; copy the local DSN below whole',
    dsn_mismatch: 'the DSN inside the envelope is not the one it was posted to; give both ends the local DSN below',
    too_large: 'too big for the endpoint; the answer names the limit, which WAYSTATION_LIMITS sets',
    length_mismatch: 'cut short on its way; look at the proxy in between, or at a page that closed while it sent',
    unscrubbed: 'what is secret in it could not be told, so it was not stored; see WAYSTATION_SCRUB_STORE',
    full: 'there was no room, and nothing that could make some; see the storage page',
    encoding: 'its compression cannot be undone; send gzip, deflate, br, zstd or none, and one of them alone',
  }),
)

const BROKEN: Partial<Record<keyof typeof ENVELOPE_ERRORS, string>> = {
  empty: 'the body is empty; a probe wants /health/live instead',
  payload_too_large: `${ENVELOPE_ERRORS.payload_too_large}; raise it in WAYSTATION_LIMITS if that is meant`,
  too_many_items: `${ENVELOPE_ERRORS.too_many_items}; let the program send more often`,
}

/** Why something was turned away, and what to do about it; an unknown reason as it is called. */
export function refusalText(reason: string): string {
  if (isFraming(reason))
    return BROKEN[reason] ?? `${ENVELOPE_ERRORS[reason]}; look at what writes the envelope, or changes it on its way`
  return AT_THE_ENDPOINT.get(reason) ?? reason.replaceAll('_', ' ')
}

const isFraming = (reason: string): reason is keyof typeof ENVELOPE_ERRORS => Object.hasOwn(ENVELOPE_ERRORS, reason)

/** What was lost here, for want of room or time or by a rule, by its reason. */
const STATUS_OF_REASON: ReadonlyMap<string, DeliveryStatusName> = new Map([
  ['limited', 'rate_limited'],
  ['depends_on_limited', 'rate_limited'],
  ['unscrubbed', 'filtered'],
  ['backlog_full', 'overflow'],
  ['undelivered_for_24_h', 'expired'],
  ['damaged_record', 'invalid'],
  ['filtered', 'filtered'],
  ['overflow', 'overflow'],
  ['expired', 'expired'],
])

/**
 * The list of the envelopes with that status, as far as they are still kept. `null` of what never became a record: what an
 * SDK discarded, what the endpoint refused.
 * @param stamp whose losses they are; `null` for everybody's
 */
export function lostEnvelopesHref(
  { by, reason, category }: Pick<Loss, 'by' | 'reason' | 'category'>,
  stamp: string | null,
): string | null {
  const deliveryStatus = deliveryStatusOf(by, reason)
  if (deliveryStatus === null) return null
  const query = new URLSearchParams()
  writeFilter(query, {
    delivery: deliveryStatus,
    type: category === null ? undefined : typeOfCategory(category),
    stamp: stamp ?? undefined,
  })
  return `/deliveries?${query}`
}

function deliveryStatusOf(by: Loss['by'], reason: string): DeliveryStatusName | null {
  if (by === 'person') return 'dropped'
  if (by === 'waystation') return STATUS_OF_REASON.get(reason) ?? null
  if (by !== 'upstream') return null
  // An answer of 2xx may limit a category that was in the post.
  return /^(?:rate_limited|upstream_(?:2\d\d|429))$/.test(reason) ? 'rate_limited' : 'invalid'
}
