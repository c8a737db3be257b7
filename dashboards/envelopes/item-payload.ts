import type { SignalKind } from '../../lib/protocol/items/signal'
import { quoteBigIntegers } from '../../lib/protocol/parse-json'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import { printablePayload } from '../ui/printable'

type Payload =
  | {
      readonly kind: 'text'
      readonly text: string
      readonly lines: number
      readonly truncated: boolean
      /** The text as JSON, with texts for integers that a number would round; `undefined` for other and for cut text. */
      readonly json: unknown
    }
  | { readonly kind: 'binary' }
  | { readonly kind: 'empty' }

/** An item of an envelope, or a whole request of OpenTelemetry in one of its encodings. */
export type PayloadForm = 'item' | 'json' | 'protobuf'

export const formOf = (contentType: string | null): PayloadForm =>
  contentType?.toLowerCase().includes('protobuf') === true ? 'protobuf' : 'json'

/** Longer payloads are folded initially, so that the next item stays in reach. */
export const OPEN_LINES = 40

export function payloadOf(item: EnvelopeDetail['items'][number]): Payload {
  if (item.bytes === 0) return { kind: 'empty' }
  if (item.text === null) return { kind: 'binary' }
  const text = printablePayload(item.text)
  return {
    kind: 'text',
    text,
    lines: text.split('\n').length,
    truncated: item.truncated,
    json: item.truncated ? undefined : jsonOf(item.text),
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(quoteBigIntegers(text))
  } catch {
    // Attachments and recordings are other text.
    return undefined
  }
}

/** Items whose entries each name their trace, only in the payload. */
const NAMES_TRACES: ReadonlySet<string> = new Set([
  'log',
  'otel_log',
  'trace_metric',
  'metric',
  'otlp_traces',
  'otlp_logs',
  'otlp_metrics',
])

export const namesTraces = (type: string): boolean => NAMES_TRACES.has(type)

/** The distinct trace ids in an item's text, in order. Searched, because a cut payload is not valid JSON. */
export function traceIdsIn(text: string): readonly string[] {
  // Sentry writes `trace_id`, OTLP/JSON `traceId`.
  const found = text.matchAll(/"trace_?id"\s*:\s*"([0-9a-f]{32})"/gi)
  return [...new Set([...found].flatMap(([, id]) => (id === undefined ? [] : [id.toLowerCase()])))]
}

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
  ['otlp_logs', 'log'],
  ['otlp_metrics', 'metric'],
])

/** The signal kind of an item type; `null` for errors, spans and unknown types. */
export const signalOfItem = (type: string): SignalKind | null => KINDS.get(type) ?? null
