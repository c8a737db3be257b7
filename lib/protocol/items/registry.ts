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

/** Item types that become errors, segments and spans: each has its own way through `collector/digest`. */
export const ITEM_PARSERS = {
  event: parseEvent,
  transaction: parseTransaction,
  span: parseSpanContainer,
} as const

/**
 * Item types that become signals. A new one is one file and one line here; what it counts as stands in
 * `lib/protocol/data-category.ts`. Every type that is in neither list is kept, counted, shown raw and relayed.
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
  // Network error logging comes as the Reporting API's reports do.
  nel: parseRawSecurity,
}

/** Types whose payload is not JSON: their header says what is told of them. */
const READ_BY_HEADER = new Set(['attachment', 'replay_recording'])

/** Is the payload of this type parsed as JSON? */
export const isReadAsJson = (type: string): boolean =>
  !READ_BY_HEADER.has(type) && (isParsedType(type) || signalParserOf(type) !== null)

export type ParsedItemType = keyof typeof ITEM_PARSERS

export const isParsedType = (type: string): type is ParsedItemType => Object.hasOwn(ITEM_PARSERS, type)

/** How a type is read as signals; `null` when it is not. The type is the sender's word, so nothing inherited counts. */
export const signalParserOf = (type: string): ParseSignals | null =>
  (Object.hasOwn(SIGNAL_PARSERS, type) ? SIGNAL_PARSERS[type] : undefined) ?? null
