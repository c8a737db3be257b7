import type { SeenItem } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { atItem } from './describe'
import type { Rule } from './rule'

const KiB = 1024
const MiB = 1024 * KiB

/** What Sentry takes of one item, in bytes, by its type (Relay's `limits` settings, as they are shipped). */
const MOST_BYTES: Readonly<Record<string, number>> = {
  event: MiB,
  transaction: MiB,
  feedback: MiB,
  user_report: MiB,
  raw_security: MiB,
  span: 12 * MiB,
  log: 12 * MiB,
  trace_metric: 12 * MiB,
  session: 10 * MiB,
  sessions: 10 * MiB,
  client_report: 100 * KiB,
  check_in: 100 * KiB,
  profile: 50 * MiB,
  profile_chunk: 50 * MiB,
  profile_chunk_ui: 50 * MiB,
  replay_event: MiB,
  replay_recording: 10 * MiB,
  replay_video: 10 * MiB,
  attachment: 200 * MiB,
  statsd: MiB,
  metric_buckets: MiB,
}

/** What it takes of one entry of a container: the mean of its entries is compared. */
const MOST_BYTES_OF_ENTRY: Readonly<Record<string, number>> = { span: 10 * MiB, log: 2 * MiB, trace_metric: MiB }

/** Of one envelope. */
const MOST_OF_TYPE: Readonly<Record<string, number>> = {
  attachment: 30,
  session: 100,
  sessions: 100,
  client_report: 100,
}

/** From here on an item is near its limit: the next one that is a little larger is gone, whole. */
const NEAR = 0.9

/**
 * Judged from every item that goes upstream: its bytes against what Sentry takes of its type. The collector refuses at its
 * own endpoint what is beyond most of these, so what is recorded is near a limit at most; what the endpoint refused stands in the
 * overview. Types without a known limit are not judged.
 */
export const oversizedRule: Rule = {
  id: 'oversized',
  title: 'No item is near the size that Sentry refuses',
  why: 'Sentry answers 413 to an envelope that is too large, and the SDK throws away all of it.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'error',
  fix: 'Send less in it: smaller contexts, extra and attachments, a lower maxValueLength, fewer spans of one transaction.',
  judge: ({ evidence }) => {
    const findings: Finding[] = []
    const counts = new Map<string, number>()
    let judged = 0
    for (const item of evidence.items) {
      if (item.copy) continue
      const most = own(MOST_BYTES, item.type)
      if (most === null) continue
      judged += 1
      const bytes = item.payload.length
      if (bytes > NEAR * most) findings.push(tooLarge(item, bytes, most, ''))
      const ofEntry = own(MOST_BYTES_OF_ENTRY, item.type)
      const mean = bytes / item.quantity
      if (ofEntry !== null && mean > NEAR * ofEntry)
        findings.push(
          tooLarge(item, mean, ofEntry, item.quantity === 1 ? '' : ` for each of its ${item.quantity} entries`),
        )
      const finding = oneTooMany(item, counts)
      if (finding !== null) findings.push(finding)
    }
    return verdictOf(judged, findings, 'No item of a type with a known limit was recorded.')
  },
}

function oneTooMany(item: SeenItem, counts: Map<string, number>): Finding | null {
  const most = own(MOST_OF_TYPE, item.type)
  if (most === null) return null
  const key = `${item.seq} ${item.type}`
  const count = (counts.get(key) ?? 0) + 1
  counts.set(key, count)
  if (count !== most + 1) return null
  return {
    about: `${item.type} items of envelope ${item.seq}`,
    at: atItem(item),
    path: '',
    actual: `more than ${most} in one envelope`,
    expected: `${most} at most`,
  }
}

const tooLarge = (item: SeenItem, bytes: number, most: number, each: string): Finding => ({
  about: `${item.type} item of envelope ${item.seq}`,
  at: atItem(item),
  path: '',
  actual: `${sizeOf(bytes)}${each}, ${bytes > most ? 'beyond' : `${Math.floor((100 * bytes) / most)} % of`} what Sentry takes`,
  expected: `${sizeOf(NEAR * most)} at most, which is ${NEAR * 100} % of the ${sizeOf(most)} that Sentry takes`,
})

const sizeOf = (bytes: number): string =>
  bytes >= MiB ? `${round(bytes / MiB)} MiB` : bytes >= KiB ? `${round(bytes / KiB)} KiB` : `${Math.round(bytes)} bytes`

/** Down, so that what is under a limit is not told as the limit. */
const round = (value: number): number => Math.floor(value * 100) / 100

/** The type is the sender's word: nothing inherited counts. */
const own = (table: Readonly<Record<string, number>>, type: string): number | null =>
  (Object.hasOwn(table, type) ? table[type] : undefined) ?? null
