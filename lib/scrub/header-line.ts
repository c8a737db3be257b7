import { type OnFound, scrubTexts } from './payload'

/** What an envelope is known by, and where it goes. */
const OF_ENVELOPES = new Set(['dsn', 'event_id', 'sent_at', 'sdk'])
/** By these upstream decides whether it takes a whole trace; each of its services must say the same. */
const OF_TRACES = new Set(['trace_id', 'public_key', 'replay_id', 'org_id', 'sample_rand', 'sample_rate', 'sampled'])
/** What an item is read by. */
const OF_ITEMS = new Set(['type', 'content_type', 'attachment_type', 'length', 'event_id', 'trace_id', 'span_id'])

/**
 * Takes secrets out of the texts of an envelope's header line, such as the name of a transaction in `trace`.
 * @returns the same array where nothing is taken out; never another line.
 */
export const scrubEnvelopeHeader = (line: Uint8Array, onFound: OnFound): Uint8Array =>
  scrubTexts(
    line,
    onFound,
    ([name, ofTrace]) => has(OF_ENVELOPES, name) || (name === 'trace' && has(OF_TRACES, ofTrace)),
  )

/** Likewise of an item's, such as what a file is called. */
export const scrubItemHeader = (line: Uint8Array, onFound: OnFound): Uint8Array =>
  scrubTexts(line, onFound, ([name]) => has(OF_ITEMS, name))

const has = (names: ReadonlySet<unknown>, name: unknown): boolean => names.has(name)

/** Is it read by names alone under which no text is looked at, as most are? */
export const isItemHeaderLeft = (header: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(header).every((name) => OF_ITEMS.has(name))
