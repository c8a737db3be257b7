import type { Envelope, EnvelopeItemFrame } from '../protocol/envelope'
import { fieldsOf } from '../protocol/json-scanner'
import { type Endpoint, parseRecord } from '../protocol/record'
import { isEnvelope } from '../protocol/request'
import { encodeUtf8, joinBytes } from '../protocol/text-bytes'
import { isScrubbedType, scrubEnvelopeHeader, scrubItemHeader } from './envelope-parts'
import { type OnFound, scrubPayload } from './payload'
import type { RuleName } from './rules'
import { scrubText } from './scrub-text'

/** A rule that removed something, and where; never the removed text. */
interface Removal {
  readonly rule: RuleName
  /** Item number, then the path in its payload; `header.…` for the envelope header, `1.header.…` for an item header. */
  readonly path: string
}

export interface Scrubbed {
  readonly body: Uint8Array
  /** The first 200; equal entries once. */
  readonly removed: readonly Removal[]
}

/** Removals that are reported per record; more are removed. Equal to the limit in `lib/wire`. */
const MAX_REMOVALS = 200
/** A record may contain a million secrets with equal paths. */
const MAX_DISTINCT = 10 * MAX_REMOVALS

/** After scrubbing, the same array where nothing was removed. */
interface Parts {
  readonly header: Uint8Array
  /** The header line of each item with its newline, and its payload. */
  readonly items: readonly { readonly line: Uint8Array; readonly payload: Uint8Array }[]
}

/** The removals of one record, as they are stored and shown. */
export class Removals {
  readonly #removed = new Map<string, Removal>()
  #found = 0

  /** Every removal, also beyond those that are listed. */
  get found(): number {
    return this.#found
  }

  get listed(): readonly Removal[] {
    return [...this.#removed.values()]
  }

  /** Collects removals in one part of the record. */
  at(...part: readonly (string | number)[]): OnFound {
    return (rule, pathInPart) => {
      this.#found += 1
      if (this.#removed.size >= MAX_REMOVALS || this.#found > MAX_DISTINCT) return
      const path = removedPath([...part, ...pathInPart()])
      this.#removed.set(`${rule} ${path}`, { rule, path })
    }
  }
}

/**
 * Number and order of items stay. A bare event in base64 becomes plain JSON where something is removed.
 * @param mode `report` changes nothing and reports what `on` would remove.
 */
export function scrubRecord(endpoint: Endpoint, body: Uint8Array, mode: 'report' | 'on'): Scrubbed {
  // Files are relayed as they are, as attachments in envelopes are.
  if (FILES.has(endpoint)) return { body, removed: [] }
  const framed = parseRecord(endpoint, body)
  // Intake has parsed it; bytes that are not an envelope are not relayed as one.
  if (!framed.ok) return { body, removed: [] }
  const removals = new Removals()
  const before = partsOf(body, framed.value)
  const after: Parts = {
    header: scrubEnvelopeHeader(before.header, removals.at('header')),
    items: framed.value.items.map((item, index) =>
      scrubItem(item, before.items[index]?.line ?? NO_LINE, index, removals),
    ),
  }
  const { found, listed: removed } = removals
  if (mode === 'report' || found === 0) return { body, removed }
  if (!isEnvelope(endpoint)) return { body: after.items[0]?.payload ?? body, removed }
  return { body: reframed(body, framed.value, before, after), removed }
}

const FILES: ReadonlySet<Endpoint> = new Set(['minidump', 'unreal', 'attachments'])
const NO_LINE = new Uint8Array()

/** An item without a header has an empty line. */
const partsOf = (body: Uint8Array, { headerEnd, items }: Envelope): Parts => ({
  header: body.subarray(0, headerEnd),
  items: items.map(({ start, payloadStart, payload }) => ({ line: body.subarray(start, payloadStart), payload })),
})

function scrubItem(
  item: EnvelopeItemFrame,
  line: Uint8Array,
  index: number,
  removals: Removals,
): Parts['items'][number] {
  return {
    line: scrubItemHeader(line, removals.at(index, 'header')),
    payload: isScrubbedType(item.header.type, item.header.meta_length)
      ? scrubPayload(item.payload, removals.at(index))
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
  return joinBytes([...pieces, body.subarray(read)])
}

/** An implicit length ends at the next newline, and a replaced JSON text contains none. */
const lengthened = (line: Uint8Array, { header }: EnvelopeItemFrame, payload: Uint8Array): Uint8Array =>
  header.length === undefined || header.length === null ? line : withLength(line, payload.length)

/** Every other byte stays. Replaces a duplicate `length` too, because readers differ in which one they use. */
function withLength(line: Uint8Array, length: number): Uint8Array {
  const pieces: Uint8Array[] = []
  let kept = 0
  for (const { name, start, end } of fieldsOf(line)) {
    if (name !== 'length') continue
    pieces.push(line.subarray(kept, start), encodeUtf8(String(length)))
    kept = end
  }
  return joinBytes([...pieces, line.subarray(kept)])
}

/** The longest path, and the longest name in it. */
const LONGEST_PATH = 200
const LONGEST_PART = 64

/**
 * The path to a removed text, to store and show: `0.request.headers.Authorization`. Names in it can be anything: they
 * are shortened, special characters are replaced, and a name that is itself a secret becomes `_`.
 */
export function removedPath(parts: readonly (string | number)[]): string {
  let path = ''
  for (const [index, part] of parts.entries()) {
    path += `${index === 0 ? '' : '.'}${typeof part === 'number' ? part : sanitised(part)}`
    if (path.length >= LONGEST_PATH) return `${path.slice(0, LONGEST_PATH - 1)}…`
  }
  return path
}

function sanitised(name: string): string {
  const short = name.length > LONGEST_PART ? `${name.slice(0, LONGEST_PART - 1)}…` : name
  const isSecret =
    scrubText(name.slice(0, 4 * LONGEST_PART), 'plain', () => undefined) !== name.slice(0, 4 * LONGEST_PART)
  if (isSecret) return '_'
  return short.replaceAll(/[^\p{L}\p{N}_.$:/…-]/gu, '_')
}
