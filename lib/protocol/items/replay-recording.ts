import * as z from 'zod'
import { fail, succeed } from '../result'
import { amount, readFields } from './fields'
import { NO_SENDER, NOTHING_SAID, oneSignal, type ParseSignals, type ReadLimits } from './signal'

const headSchema = z.object({ segment_id: amount })
const NEWLINE = 0x0a
/** zlib's first byte at a window of 32 KiB, which every deflater of an SDK uses. */
const ZLIB = 0x78

/** Bytes of the first line: SDKs write its number alone. Each segment of an envelope looks at each recording's. */
const LONGEST_HEAD = 1024

/** What a recording says without being read: a line of JSON, then the recorded events, most often deflated. */
export interface RecordingHead {
  readonly segment: number | null
  readonly bytes: number
  readonly compressed: boolean
}

export function recordingHead(payload: Uint8Array, limits: ReadLimits): RecordingHead {
  const newline = payload.indexOf(NEWLINE)
  const head = readFields(payload.subarray(0, newline > LONGEST_HEAD ? 0 : Math.max(0, newline)), headSchema, limits)
  const recorded = payload.subarray(newline + 1)
  return {
    segment: head.ok ? head.value.segment_id : null,
    bytes: recorded.length,
    compressed: recorded[0] === ZLIB,
  }
}

/** A recording stands for itself only where no `replay_event` of the same envelope tells of it. */
export const parseReplayRecording: ParseSignals = ({ payload, envelope, eventId }, limits) => {
  if (envelope.items.some((item) => item.header.type === 'replay_event'))
    return succeed({ signals: [], unreadable: 0, beyond: 0, sender: NO_SENDER })
  const { segment, bytes, compressed } = recordingHead(payload, limits)
  if (eventId === null || segment === null)
    return fail('the recording has no segment_id in its first line, or its envelope names no replay')
  return oneSignal({
    ...NOTHING_SAID,
    kind: 'replay',
    key: `${eventId}/${segment}`,
    name: `replay ${eventId}`,
    fields: { replayId: eventId, segment, recordingBytes: bytes, recordingCompressed: compressed },
  })
}
