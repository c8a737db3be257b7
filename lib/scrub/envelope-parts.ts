import { type OnFound, scrubTexts } from './payload'
import { type Removes, removesAll } from './rules'

/**
 * JSON with text of users or applications. Client reports have none; unknown types may be anything and stay unchanged.
 */
const SCRUBBED_TYPES = new Set(
  (
    'event transaction span log trace_metric session sessions user_report feedback replay_event check_in profile ' +
    'profile_chunk profile_chunk_ui raw_security nel'
  ).split(' '),
)

/** With a `meta_length`, bytes of another format follow the JSON, and their position is counted from its end. */
export const isScrubbedType = (type: string, metaLength: unknown): boolean =>
  SCRUBBED_TYPES.has(type) && metaLength === undefined

/** Identity and destination of an envelope. */
const OF_ENVELOPES = new Set(['dsn', 'event_id', 'sent_at', 'sdk'])
/** Upstream samples whole traces by these; all services of a trace must send the same values. */
const OF_TRACES = new Set(['trace_id', 'public_key', 'replay_id', 'org_id', 'sample_rand', 'sample_rate', 'sampled'])
/** Needed to parse an item. */
const OF_ITEMS = new Set(['type', 'content_type', 'attachment_type', 'length', 'event_id', 'trace_id', 'span_id'])

/** Such as the name of a transaction in `trace`. The result is one line; the same array where nothing is removed. */
export const scrubEnvelopeHeader = (line: Uint8Array, onFound: OnFound, removes: Removes = removesAll): Uint8Array =>
  scrubTexts(
    line,
    onFound,
    ([name, ofTrace]) => has(OF_ENVELOPES, name) || (name === 'trace' && has(OF_TRACES, ofTrace)),
    removes,
  )

export const scrubItemHeader = (line: Uint8Array, onFound: OnFound, removes: Removes = removesAll): Uint8Array =>
  scrubTexts(line, onFound, ([name]) => has(OF_ITEMS, name), removes)

const has = (names: ReadonlySet<unknown>, name: unknown): boolean => names.has(name)

export const isItemHeaderLeft = (header: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(header).every((name) => OF_ITEMS.has(name))
