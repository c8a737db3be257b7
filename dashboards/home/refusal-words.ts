import { ENVELOPE_ERRORS } from '../../lib/protocol/envelope'

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
export function refusalWords(reason: string): string {
  if (isFraming(reason))
    return BROKEN[reason] ?? `${ENVELOPE_ERRORS[reason]}; look at what writes the envelope, or changes it on its way`
  return AT_THE_ENDPOINT.get(reason) ?? reason.replaceAll('_', ' ')
}

const isFraming = (reason: string): reason is keyof typeof ENVELOPE_ERRORS => Object.hasOwn(ENVELOPE_ERRORS, reason)
