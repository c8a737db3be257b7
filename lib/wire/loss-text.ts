import { ENVELOPE_ERRORS } from '../protocol/envelope'
import type { Loss, Losses } from './losses'
import { reasonText } from './status-text'

export const BY_TEXT: Readonly<Record<Loss['by'], { readonly word: string; readonly meaning: string }>> = {
  sdk: { word: 'the SDK', meaning: 'Discarded before sending, according to its client reports.' },
  endpoint: {
    word: 'endpoint',
    meaning: 'Refused on arrival. Counted in envelopes, because their contents are unknown.',
  },
  waystation: { word: 'Waystation', meaning: 'Cut, filtered, evicted or expired here.' },
  upstream: { word: 'upstream', meaning: 'Posted and refused.' },
  person: { word: 'a person', meaning: 'Dropped by a person.' },
}

/** Discard reasons of client reports, as documented for SDKs. */
const DISCARDED: ReadonlyMap<string, string> = new Map([
  ['ratelimit_backoff', 'the SDK obeyed a rate limit'],
  ['network_error', 'the request failed: no connection, or no answer'],
  ['send_error', 'the request was answered with an error'],
  ['queue_overflow', 'the queue of the SDK was full'],
  ['cache_overflow', 'the cache of the SDK was full'],
  ['buffer_overflow', 'the buffer of the SDK was full'],
  ['sample_rate', 'it was not sampled'],
  ['before_send', 'beforeSend or a similar function returned null'],
  ['event_processor', 'an event processor returned null'],
  ['ignored', 'it matched ignoreErrors, ignoreSpans or a similar rule'],
  ['backpressure', 'the SDK reduced sampling under pressure'],
  ['internal_sdk_error', 'the SDK failed while preparing it'],
  ['insufficient_data', 'it had too little data'],
  ['no_parent_span', 'it had no parent span'],
  ['invalid', 'the SDK found it invalid'],
  ['too_large', 'it was too large to send'],
])

const HERE: ReadonlyMap<string, string> = new Map([
  ['undelivered_for_24_h', 'not delivered within 24 hours of running time, or the maximum age if that is longer'],
  ['dead_letter', 'a dead letter that was dropped'],
  ['cleared', 'cleared while pending'],
  ['visitor', 'deleted by the visitor who sent it'],
])

/** The reason of a loss as text. Unknown reasons are shown as received. */
export function lossReason({ by, reason }: Pick<Loss, 'by' | 'reason'>): string {
  if (by === 'sdk') return DISCARDED.get(reason) ?? reason.replaceAll('_', ' ')
  if (by === 'endpoint') return refusalText(reason).replace('the local DSN', 'the local DSN of the board Live')
  return HERE.get(reason) ?? reasonText(reason) ?? reason
}

/** The losses, with dead letters as losses by upstream: nobody has sent them again or dropped them yet. */
export const withDeadLetters = ({ losses, deadLetters }: Pick<Losses, 'losses' | 'deadLetters'>): readonly Loss[] => [
  ...losses,
  ...deadLetters.map(({ category, status, quantity }) => ({
    ...{ by: 'upstream' as const, reason: `upstream_${status}`, category, quantity },
  })),
]

/** The unit of a loss: its category, or envelopes for refusals on arrival. */
export const lossUnit = ({ category, quantity }: Pick<Loss, 'category' | 'quantity'>): string =>
  category ?? (quantity === 1 ? 'envelope' : 'envelopes')

const AT_THE_ENDPOINT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    origin: 'foreign origin; add it to WAYSTATION_ORIGINS if it is yours',
    host: 'a request without a body for a foreign Host; add the name to WAYSTATION_HOSTS if it is yours',
    unknown_project: 'unknown key or project; use the local DSN',
    no_key: 'no public key; set the local DSN in the SDK',
    multiple_auth: 'several keys, or one in the header and one in the query; send exactly one',
    version: 'unsupported protocol version; check the SDK',
    content_type:
      'unsupported content type; reports of browsers need JSON, OTLP needs application/json or application/x-protobuf',
    otlp_invalid: 'no valid entry in the OTLP request; its answer and the collector’s log name the first invalid one',
    no_intake: 'sent to a collector without the role intake; send to one that has it (WAYSTATION_ROLES)',
    unknown_endpoint: 'sent to an address that serves nothing; check the DSN and the path, the answer says more',
    unsupported_endpoint:
      'sent to an endpoint of Sentry that Waystation does not have; the answer names an alternative',
    aborted: 'the sender closed the connection within the body; check time-outs, or a page closed while sending',
    otlp_malformed: 'the OTLP request cannot be decoded; compare its Content-Type with the encoding of the exporter',
    slow: 'the body arrived too slowly while others waited for its memory; check the network of the sender',
    in_flight: 'too many bytes in flight; raise in_flight in WAYSTATION_LIMITS, or send less at once',
    malformed_key: 'malformed public key; copy the whole local DSN',
    malformed_project: 'the project in the path is not a number; copy the whole local DSN',
    malformed_dsn: 'malformed DSN in the envelope; copy the whole local DSN',
    dsn_mismatch: 'the DSN in the envelope differs from the one it was posted to; use the local DSN for both',
    too_large: 'too large; the answer names the limit, which WAYSTATION_LIMITS sets',
    length_mismatch: 'truncated on the way; check proxies, or a page closed while sending',
    unscrubbed: 'scrubbing failed, so it was not stored; see WAYSTATION_SCRUB_STORE',
    copies_full:
      'a copy does not fit into an eighth of the disk budget, the share of copies; raise WAYSTATION_MAX_DISK',
    full: 'the disk budget is exceeded and nothing can be evicted; see the storage page',
    backlog_full: 'pending envelopes fill their share of the disk; make the upstream reachable, see the storage page',
    encoding: 'cannot be decompressed; use one of gzip, deflate, br, zstd or none',
  }),
)

const BROKEN: Partial<Record<keyof typeof ENVELOPE_ERRORS, string>> = {
  empty: 'empty body; use /health/live for probes',
  payload_too_large: `${ENVELOPE_ERRORS.payload_too_large}; raise the limit in WAYSTATION_LIMITS if intended`,
  too_many_items: `${ENVELOPE_ERRORS.too_many_items}; send smaller envelopes`,
}

/** Refusals of a tunnel, by status. */
const BY_TUNNEL: ReadonlyMap<string, string> = new Map([
  ['400', ': no envelope, or one without a DSN; set the option tunnel of the SDK'],
  ['403', ': unknown key, project or origin; compare the DSN of the page with the DSN of the tunnel'],
  ['404', ': it serves no OpenTelemetry; see projectOfKey'],
  ['405', ': only POST is served'],
  ['413', ': too large; see WAYSTATION_LIMITS'],
  ['503', ': the collector did not accept it, and the lifeboat could not store it; see the app’s log'],
  ['415', ': unsupported Content-Encoding; use gzip, deflate, br or none'],
])

/** The reason of a refusal, and what to do. Unknown reasons are shown as received. */
export function refusalText(reason: string): string {
  if (isFraming(reason)) return BROKEN[reason] ?? `${ENVELOPE_ERRORS[reason]}; check the sender and proxies`
  const [, status] = /^tunnel_(4\d\d|503)$/.exec(reason) ?? []
  if (status !== undefined) return `the tunnel answered ${status}${BY_TUNNEL.get(status) ?? '; the app’s log says why'}`
  return AT_THE_ENDPOINT.get(reason) ?? reason.replaceAll('_', ' ')
}

const isFraming = (reason: string): reason is keyof typeof ENVELOPE_ERRORS => Object.hasOwn(ENVELOPE_ERRORS, reason)
