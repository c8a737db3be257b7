import type { SignalKind } from '../../lib/protocol/signal-kind'

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
