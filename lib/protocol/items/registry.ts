import { parseAttachment } from './attachment'
import { parseCheckIn } from './check-in'
import { parseClientReport } from './client-report'
import { parseEvent } from './event'
import { parseFeedback } from './feedback'
import { parseLogs } from './log'
import { parseProfile } from './profile'
import { parseProfileChunk } from './profile-chunk'
import { parseRawSecurity } from './raw-security'
import { parseReplayEvent } from './replay-event'
import { parseReplayRecording } from './replay-recording'
import { parseSession } from './session'
import { parseSessions } from './sessions'

import type { ParseSignals } from './signal'
import { parseSpanContainer } from './span'
import { parseTraceMetrics } from './trace-metric'
import { parseTransaction } from './transaction'
import { parseUserReport } from './user-report'

/** Item types that become errors, segments and spans; `traversal` handles each of them separately. */
export const ITEM_PARSERS = {
  event: parseEvent,
  transaction: parseTransaction,
  span: parseSpanContainer,
} as const

/**
 * To add a type: a file, a line here, and its category in `lib/protocol/data-category.ts`. Types in neither list are
 * stored, counted, shown raw and relayed.
 */
export const SIGNAL_PARSERS: Readonly<Record<string, ParseSignals>> = {
  log: parseLogs,
  trace_metric: parseTraceMetrics,
  session: parseSession,
  sessions: parseSessions,
  client_report: parseClientReport,
  attachment: parseAttachment,
  user_report: parseUserReport,
  feedback: parseFeedback,
  replay_event: parseReplayEvent,
  replay_recording: parseReplayRecording,
  profile: parseProfile,
  profile_chunk: parseProfileChunk,
  profile_chunk_ui: parseProfileChunk,
  check_in: parseCheckIn,
  raw_security: parseRawSecurity,
  // Network error logging uses the format of the Reporting API.
  nel: parseRawSecurity,
}

/** Types whose payload is not JSON; only their header is read. */
const READ_BY_HEADER = new Set(['attachment', 'replay_recording'])

/** Returns true for types whose payload is parsed as JSON. */
export const isReadAsJson = (type: string): boolean =>
  !READ_BY_HEADER.has(type) && (isParsedType(type) || signalParserOf(type) !== null)

export type ParsedItemType = keyof typeof ITEM_PARSERS

export const isParsedType = (type: string): type is ParsedItemType => Object.hasOwn(ITEM_PARSERS, type)

/** Returns the parser of a signal type, or `null`. `hasOwn`, because the sender chooses the type. */
export const signalParserOf = (type: string): ParseSignals | null =>
  (Object.hasOwn(SIGNAL_PARSERS, type) ? SIGNAL_PARSERS[type] : undefined) ?? null
