import type { Envelope, EnvelopeItemFrame } from '../protocol/envelope'
import { type Endpoint, parseRecord } from '../protocol/record'
import { scrubEnvelopeHeader, scrubItemHeader } from './header-line'
import { withLength } from './length-header'
import { type OnFound, scrubPayload } from './payload'
import { removedPath } from './removed-path'
import type { RuleName } from './rule'

/** What a rule took, and where; never what it was. */
export interface Removal {
  readonly rule: RuleName
  /** Item number, then the way through its payload; `header.…` for the envelope's line, `1.header.…` for an item's. */
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

/**
 * Is the payload of such an item looked at? With a `meta_length` bytes of another format follow the JSON, and their place is
 * counted from its end.
 */
export const hasWords = (type: string, metaLength: unknown): boolean =>
  TYPES_WITH_WORDS.has(type) && metaLength === undefined

/** A record's parts, scrubbed; each the same array where nothing was taken out of it. */
interface Parts {
  readonly header: Uint8Array
  /** Each item's header line up to its newline, and its payload. */
  readonly items: readonly { readonly line: Uint8Array; readonly payload: Uint8Array }[]
}

/**
 * Takes secrets out of a record's headers and items, whose number and order stay. A bare event that came as base64 becomes
 * the JSON that it holds where something is taken out.
 * @param mode `report` changes nothing and tells what `on` would take out.
 */
export function scrubRecord(endpoint: Endpoint, body: Uint8Array, mode: 'report' | 'on'): Scrubbed {
  const framed = parseRecord(endpoint, body)
  // What came in was framed at the endpoint; bytes that cannot be are no envelope, and nobody takes them for one.
  if (!framed.ok) return { body, removed: [] }
  const removed = new Map<string, Removal>()
  let found = 0
  const tellIn =
    (...place: readonly (string | number)[]): OnFound =>
    (rule, way) => {
      found += 1
      if (removed.size >= MOST_TOLD || found > MOST_TOLD_APART) return
      const path = removedPath([...place, ...way()])
      removed.set(`${rule} ${path}`, { rule, path })
    }
  const before = partsOf(body, framed.value)
  const after: Parts = {
    header: scrubEnvelopeHeader(before.header, tellIn('header')),
    items: framed.value.items.map((item, index) =>
      scrubItem(item, before.items[index]?.line ?? NO_LINE, index, tellIn),
    ),
  }
  const told = [...removed.values()]
  if (mode === 'report' || found === 0) return { body, removed: told }
  if (endpoint === 'store' || endpoint === 'security') return { body: after.items[0]?.payload ?? body, removed: told }
  return { body: reframed(body, framed.value, before, after), removed: told }
}

const NO_LINE = new Uint8Array()

/** What frames as an item without being one has an empty line. */
const partsOf = (body: Uint8Array, { headerEnd, items }: Envelope): Parts => ({
  header: body.subarray(0, headerEnd),
  items: items.map(({ start, payloadStart, payload }) => ({ line: body.subarray(start, payloadStart), payload })),
})

function scrubItem(
  item: EnvelopeItemFrame,
  line: Uint8Array,
  index: number,
  tellIn: (...place: readonly (string | number)[]) => OnFound,
): Parts['items'][number] {
  return {
    line: scrubItemHeader(line, tellIn(index, 'header')),
    payload: hasWords(item.header.type, item.header.meta_length)
      ? scrubPayload(item.payload, tellIn(index))
      : item.payload,
  }
}

function reframed(body: Uint8Array, envelope: Envelope, before: Parts, after: Parts): Uint8Array {
  const pieces: Uint8Array[] = [after.header]
  let read = envelope.headerEnd
  envelope.items.forEach((item, index) => {
    const [was, now] = [before.items[index], after.items[index]]
    if (was === undefined || now === undefined || (was.line === now.line && was.payload === now.payload)) return
    const line = was.payload === now.payload ? now.line : lengthened(now.line, item, now.payload)
    pieces.push(body.subarray(read, item.start), line, now.payload)
    read = item.payloadEnd
  })
  return Buffer.concat([...pieces, body.subarray(read)])
}

/** An implicit length ends at the next newline, and no JSON text that is put in has one. */
const lengthened = (line: Uint8Array, { header }: EnvelopeItemFrame, payload: Uint8Array): Uint8Array =>
  header.length === undefined || header.length === null ? line : withLength(line, payload.length)
