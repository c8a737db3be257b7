import * as z from 'zod'
import { fail } from '../result'
import { sdkName } from './event'
import {
  idField,
  nestedField,
  numberField,
  objectField,
  readFields,
  textField,
  textListField,
  timeField,
} from './fields'
import { type RecordingHead, recordingHead } from './replay-recording'
import { cutName, oneSignal, type ParseSignals, type ReadLimits, type SignalItem } from './signal'

const replaySchema = z.object({
  replay_id: idField,
  event_id: idField,
  segment_id: numberField,
  replay_type: textField,
  timestamp: timeField,
  replay_start_timestamp: timeField,
  urls: textListField,
  error_ids: textListField,
  trace_ids: textListField,
  platform: textField,
  environment: textField,
  release: textField,
  sdk: objectField,
  request: nestedField(z.object({ url: textField })),
})

/** Parses a segment of a replay, with the size of its recording. The bytes stay in the record. */
export const parseReplayEvent: ParseSignals = (item, sizeLimits) => {
  const read = readFields(item.payload, replaySchema, sizeLimits)
  if (!read.ok) return read
  const replay = read.value
  const replayId = replay.replay_id ?? replay.event_id ?? item.eventId
  if (replayId === null) return fail('the replay has no replay_id of 32 hex digits, and its envelope no event_id')
  // A segment without a number counts as the first.
  const segment = replay.segment_id ?? 0
  const recording = recordingOf(item, segment, sizeLimits)
  const { timestamp, replay_start_timestamp: startUs } = replay
  return oneSignal(
    {
      kind: 'replay',
      key: `${replayId}/${segment}`,
      // Above a recording without its replay_event, which has rank 0.
      rank: timestamp ?? 1,
      timestampUs: timestamp,
      traceId: onlyOne(replay.trace_ids),
      spanId: null,
      eventId: onlyOne(replay.error_ids),
      name: cutName(replay.urls[0] ?? replay.request.url ?? `replay ${replayId}`),
      level: null,
      environment: replay.environment,
      release: replay.release,
      fields: {
        replayId,
        segment,
        type: replay.replay_type,
        startUs,
        durationMs: timestamp === null || startUs === null ? null : Math.max(0, (timestamp - startUs) / 1000),
        urls: replay.urls,
        errorIds: replay.error_ids,
        traceIds: replay.trace_ids,
        recordingBytes: recording?.bytes ?? null,
        recordingCompressed: recording?.compressed ?? null,
      },
    },
    { platform: replay.platform, sdk: sdkName(replay.sdk), inBrowser: null },
  )
}

/** Returns the id when there is exactly one: a segment may span many traces, and a signal belongs to one. */
function onlyOne(ids: readonly string[]): string | null {
  return ids.length === 1 ? idField.parse(ids[0]) : null
}

/** Returns the recording of a segment in the same envelope: by its number, or the only one there is. */
function recordingOf({ envelope }: SignalItem, segment: number, sizeLimits: ReadLimits): RecordingHead | null {
  const heads = envelope.items
    .filter((item) => item.header.type === 'replay_recording')
    .map((item) => recordingHead(item.payload, sizeLimits))
  return heads.find((head) => head.segment === segment) ?? (heads.length === 1 ? (heads[0] ?? null) : null)
}
