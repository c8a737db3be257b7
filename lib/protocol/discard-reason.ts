/**
 * Why SDKs discard, as their client reports say: the names of Sentry's development documentation ("Client Reports"), and
 * those that JavaScript SDK 11.8 adds. It is free text: there are others.
 */
export const DISCARD_REASONS: readonly string[] = [
  'queue_overflow',
  'cache_overflow',
  'buffer_overflow',
  'ratelimit_backoff',
  'network_error',
  'sample_rate',
  'before_send',
  'event_processor',
  'send_error',
  'internal_sdk_error',
  'insufficient_data',
  'backpressure',
  'ignored',
  'invalid',
  'callback_error',
  'no_parent_span',
]
