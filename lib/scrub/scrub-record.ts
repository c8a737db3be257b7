import type { Envelope, EnvelopeItemFrame } from '../protocol/envelope'
import { type Door, frameRecord } from '../protocol/record'
import { withLength } from './length-header'
import { scrubPayload } from './payload'
import { removedPath } from './removed-path'
import type { RuleName } from './rule'

/** What a rule took, and where; never what it was. */
export interface Removal {
  readonly rule: RuleName
  /** Item number, then the way through its payload. */
  readonly path: string
}

export interface Scrubbed {
  /** The same array where nothing was taken out. */
  readonly body: Uint8Array
  /** The first 200; what cannot be told apart once. */
  readonly removed: readonly Removal[]
}

/** So many are told of one record; more are taken out. It is `MOST_REMOVED_TOLD` of `lib/wire`. */
const MOST_TOLD = 200
/** A million secrets may stand at places that cannot be told apart. */
const MOST_TOLD_APART = 10 * MOST_TOLD

/**
 * Types whose payload is JSON that may hold somebody's words. A client report has none; attachments and recordings of
 * replays are no JSON; what nobody knows may be anything, and stays as it is.
 */
const TYPES_WITH_WORDS = new Set(
  (
    'event transaction span log trace_metric session sessions user_report feedback replay_event check_in profile ' +
    'profile_chunk profile_chunk_ui raw_security nel'
  ).split(' '),
)

/** With a `meta_length` bytes of another format follow the JSON, and their place is counted from its end. */
const hasWords = ({ header }: EnvelopeItemFrame): boolean =>
  TYPES_WITH_WORDS.has(header.type) && header.meta_length === undefined

/**
 * Takes secrets out of a record's items, whose number, order and headers stay, but for a `length` that is another now. A
 * bare event that came as base64 becomes the JSON that it holds where something is taken out.
 * @param mode `report` changes nothing and tells what `on` would take out.
 */
export function scrubRecord(door: Door, body: Uint8Array, mode: 'report' | 'on'): Scrubbed {
  const framed = frameRecord(door, body)
  // What came in was framed at the door; bytes that cannot be are no envelope, and nobody takes them for one.
  if (!framed.ok) return { body, removed: [] }
  const removed = new Map<string, Removal>()
  let found = 0
  const payloads = framed.value.items.map((item, index) =>
    hasWords(item)
      ? scrubPayload(item.payload, (rule, way) => {
          found += 1
          if (removed.size >= MOST_TOLD || found > MOST_TOLD_APART) return
          const path = removedPath(index, way())
          removed.set(`${rule} ${path}`, { rule, path })
        })
      : item.payload,
  )
  const isSame = framed.value.items.every(({ payload }, index) => payloads[index] === payload)
  const told = [...removed.values()]
  if (mode === 'report' || isSame) return { body, removed: told }
  return { body: reframed(door, body, framed.value, payloads), removed: told }
}

function reframed(door: Door, body: Uint8Array, envelope: Envelope, payloads: readonly Uint8Array[]): Uint8Array {
  if (door === 'store' || door === 'security') return payloads[0] ?? body
  const pieces: Uint8Array[] = []
  let read = 0
  envelope.items.forEach((item, index) => {
    const payload = payloads[index]
    if (payload === undefined || payload === item.payload) return
    pieces.push(body.subarray(read, item.start), headerOf(body, item, payload), payload)
    read = item.payloadEnd
  })
  return Buffer.concat([...pieces, body.subarray(read)])
}

/** Up to its newline. An implicit length ends at the next newline, and no JSON text that is put in has one. */
function headerOf(body: Uint8Array, item: EnvelopeItemFrame, payload: Uint8Array): Uint8Array {
  const line = body.subarray(item.start, item.payloadStart)
  return item.header.length === undefined || item.header.length === null ? line : withLength(line, payload.length)
}
