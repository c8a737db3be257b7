import type { Database } from 'better-sqlite3'
import { prepareOnce } from '../../runtime/database'

/*
 * The span ids of `trace_records`: 8 bytes each, grouped by segment. `segments` lists the groups (8 bytes segment id, 4
 * bytes number of spans, big-endian); spans without a segment come last and have no group. Ids are compared by sorting
 * them, which takes the same time for any ids that a sender chooses.
 */

export const ID_BYTES = 8
const GROUP_BYTES = ID_BYTES + 4

export function packSpanIds(segmentOf: ReadonlyMap<string, string | null>): {
  readonly segments: Buffer
  readonly spans: Buffer
} {
  const groups = new Map<string, string[]>()
  const withoutSegment: string[] = []
  for (const [spanId, segmentId] of segmentOf) {
    const group = segmentId === null ? withoutSegment : groups.get(segmentId)
    if (group !== undefined) group.push(spanId)
    else if (segmentId !== null) groups.set(segmentId, [spanId])
  }
  const heads = [...groups].map(([segmentId, ids]) => segmentId + ids.length.toString(16).padStart(8, '0'))
  return {
    segments: Buffer.from(heads.join(''), 'hex'),
    spans: Buffer.from([...groups.values(), withoutSegment].map((ids) => ids.join('')).join(''), 'hex'),
  }
}

export const segmentsIn = (segments: Buffer): readonly string[] =>
  Array.from({ length: segments.length / GROUP_BYTES }, (_, index) => {
    const at = index * GROUP_BYTES
    return segments.toString('hex', at, at + ID_BYTES)
  })

export function idsIn(list: Uint8Array): readonly string[] {
  const digits = Buffer.from(list.buffer, list.byteOffset, list.byteLength).toString('hex')
  return Array.from({ length: list.length / ID_BYTES }, (_, at) => digits.slice(at * 16, at * 16 + 16))
}

/** Checks whether a `spans` column holds an id. Eight bytes may also match across the border of two ids. */
export function includesId(list: Buffer, id: Buffer): boolean {
  let at = list.indexOf(id)
  while (at !== -1 && at % ID_BYTES !== 0) at = list.indexOf(id, at + 1)
  return at !== -1
}

/** The number of different ids in all lists. No list holds an id twice. */
export function countDistinct(lists: readonly Uint8Array[]): number {
  if (lists.length === 1) return (lists[0]?.length ?? 0) / ID_BYTES
  const halves = sortedIds(lists)
  let count = halves.length === 0 ? 0 : 1
  for (let at = 2; at < halves.length; at += 2) if (!isSameAsPrevious(halves, at)) count += 1
  return count
}

/** The ids that occur in several lists, with the number of lists. No list holds an id twice. */
export function repeatedIds(lists: readonly Uint8Array[]): Map<string, number> {
  const halves = sortedIds(lists)
  const bytes = Buffer.from(halves.buffer, halves.byteOffset, halves.byteLength)
  const repeated = new Map<string, number>()
  for (let at = 2; at < halves.length; at += 2) {
    if (!isSameAsPrevious(halves, at)) continue
    const id = bytes.toString('hex', at * 4, at * 4 + ID_BYTES)
    repeated.set(id, (repeated.get(id) ?? 1) + 1)
  }
  return repeated
}

/** All ids, equal ones next to each other. Two 32-bit numbers make an id. */
function sortedIds(lists: readonly Uint8Array[]): Uint32Array {
  const bytes = new Uint8Array(lists.reduce((sum, list) => sum + list.length, 0))
  let at = 0
  for (const list of lists) {
    bytes.set(list, at)
    at += list.length
  }
  new BigUint64Array(bytes.buffer).sort()
  return new Uint32Array(bytes.buffer)
}

const isSameAsPrevious = (halves: Uint32Array, at: number): boolean =>
  halves[at] === halves[at - 2] && halves[at + 1] === halves[at - 1]

interface SpanIdColumns {
  readonly segments: Buffer
  readonly spans: Buffer
}

/** A span that several records contain counts once. @param requested segment ids; all segments when omitted. */
export function countSpansBySegment(
  rows: Iterable<SpanIdColumns>,
  requested?: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const lists = new Map<string, Uint8Array[]>()
  for (const { segments, spans } of rows) {
    let from = 0
    for (let at = 0; at < segments.length; at += GROUP_BYTES) {
      const segmentId = segments.toString('hex', at, at + ID_BYTES)
      const to = from + segments.readUInt32BE(at + ID_BYTES) * ID_BYTES
      const list = spans.subarray(from, to)
      from = to
      if (requested?.has(segmentId) === false) continue
      const known = lists.get(segmentId)
      if (known === undefined) lists.set(segmentId, [list])
      else known.push(list)
    }
  }
  return new Map([...lists].map(([segmentId, all]) => [segmentId, countDistinct(all)]))
}

export function readSpanCounts(
  db: Database,
  traceId: string,
  segmentIds: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const rows = prepareOnce(db, 'SELECT segments, spans FROM trace_records WHERE trace_id = ? AND span_count > 0')
  return countSpansBySegment(rows.iterate(traceId) as IterableIterator<SpanIdColumns>, segmentIds)
}
