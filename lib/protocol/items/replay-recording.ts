import * as z from 'zod'
import { fail, succeed } from '../result'
import { numberField, readFields } from './fields'
import { NO_FIELDS, NO_SENDER, oneSignal, type ParseSignals, type ReadLimits } from './signal'

const headSchema = z.object({ segment_id: numberField })
const NEWLINE = 0x0a
/** The first byte of zlib data with a window of 32 KiB, which all SDKs use. */
const ZLIB = 0x78

/** SDKs write only the segment number there, and each segment of an envelope reads each recording's. */
const LONGEST_HEAD = 1024

export interface RecordingHead {
  readonly segment: number | null
  readonly bytes: number
  readonly compressed: boolean
}

export function recordingHead(payload: Uint8Array, sizeLimits: ReadLimits): RecordingHead {
  const newline = payload.indexOf(NEWLINE)
  const head = readFields(
    payload.subarray(0, newline > LONGEST_HEAD ? 0 : Math.max(0, newline)),
    headSchema,
    sizeLimits,
  )
  const recorded = payload.subarray(newline + 1)
  return {
    segment: head.ok ? head.value.segment_id : null,
    bytes: recorded.length,
    compressed: recorded[0] === ZLIB,
  }
}

/** Parses a recording. It becomes a signal only when its envelope has no `replay_event`, which would describe it. */
export const parseReplayRecording: ParseSignals = ({ payload, envelope, eventId }, sizeLimits) => {
  if (envelope.items.some((item) => item.header.type === 'replay_event'))
    return succeed({ signals: [], unreadable: 0, beyond: 0, sender: NO_SENDER })
  const { segment, bytes, compressed } = recordingHead(payload, sizeLimits)
  if (eventId === null || segment === null)
    return fail('the recording has no segment_id in its first line, or its envelope names no replay')
  return oneSignal({
    ...NO_FIELDS,
    kind: 'replay',
    key: `${eventId}/${segment}`,
    name: `replay ${eventId}`,
    fields: { replayId: eventId, segment, recordingBytes: bytes, recordingCompressed: compressed },
  })
}
