import type { SignalKind } from '../../lib/protocol/items/signal'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import { printablePayload } from '../ui/printable'

export type Payload =
  | { readonly kind: 'text'; readonly text: string; readonly lines: number; readonly truncated: boolean }
  | { readonly kind: 'binary' }
  | { readonly kind: 'empty' }

/** Higher payloads are folded at first: the next item must be in reach. */
export const OPEN_LINES = 40

/** An item's payload, fit to be shown: indented when it is JSON, text otherwise, never anything else. */
export function payloadOf(item: EnvelopeDetail['items'][number]): Payload {
  if (item.bytes === 0) return { kind: 'empty' }
  if (item.text === null) return { kind: 'binary' }
  const text = printablePayload(item.text)
  return { kind: 'text', text, lines: text.split('\n').length, truncated: item.truncated }
}

/** Items that name their trace inside the payload alone, entry by entry. */
const NAMES_TRACES: ReadonlySet<string> = new Set(['log', 'otel_log', 'trace_metric', 'metric'])

/** Does this type of item carry entries with a trace each? */
export const namesTraces = (type: string): boolean => NAMES_TRACES.has(type)

/**
 * The traces that an item's JSON text names, each once, in the order they come. Read from the text, for a long payload is cut
 * and then is no JSON any more; inside a JSON string every quote is escaped, so that a quoted `trace_id` is no match.
 */
export function traceIdsIn(text: string): readonly string[] {
  const found = text.matchAll(/"trace_id"\s*:\s*"([0-9a-f]{32})"/gi)
  return [...new Set([...found].flatMap(([, id]) => (id === undefined ? [] : [id.toLowerCase()])))]
}

/** Types of items that are shown as signals, and as which. */
const KINDS: ReadonlyMap<string, SignalKind> = new Map([
  ['log', 'log'],
  ['trace_metric', 'metric'],
  ['session', 'session'],
  ['sessions', 'session'],
  ['client_report', 'client_report'],
  ['attachment', 'attachment'],
  ['feedback', 'feedback'],
  ['user_report', 'feedback'],
  ['replay_event', 'replay'],
  ['replay_recording', 'replay'],
  ['profile', 'profile'],
  ['profile_chunk', 'profile'],
  ['profile_chunk_ui', 'profile'],
  ['check_in', 'check_in'],
  ['raw_security', 'security'],
])

/** As which kind of signal an item is shown; `null` where it is an error, a span, or only kept. */
export const signalOfItem = (type: string): SignalKind | null => KINDS.get(type) ?? null
