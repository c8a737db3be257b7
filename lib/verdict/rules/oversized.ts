import type { SeenItem } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { atItem } from './describe'
import type { Rule } from './rule'

const KiB = 1024
const MiB = 1024 * KiB

/** Sentry's limit for one item in bytes, by type (defaults of Relay's `limits`). */
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

/** The limit for one entry of a container; the mean size of its entries is compared. */
const MOST_BYTES_OF_ENTRY: Readonly<Record<string, number>> = { span: 10 * MiB, log: 2 * MiB, trace_metric: MiB }

const MOST_OF_TYPE: Readonly<Record<string, number>> = {
  attachment: 30,
  session: 100,
  sessions: 100,
  client_report: 100,
}

/** The fraction of a limit that is reported: a slightly larger item would be refused. */
const NEAR = 0.9

/**
 * Compares the size of every item with Sentry's limit for its type. The collector's endpoint refuses most items above a
 * limit, so recorded items are at most near it; refusals are shown in the overview. Types without a known limit pass.
 */
export const oversizedRule: Rule = {
  id: 'oversized',
  title: 'No item is near Sentry’s size limit',
  why: 'Sentry answers 413 to an envelope that is too large, and the SDK drops all of it.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'error',
  fix: 'Send smaller contexts, extra data and attachments, lower maxValueLength, or record fewer spans per transaction.',
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
    expected: `at most ${most}`,
  }
}

const tooLarge = (item: SeenItem, bytes: number, most: number, each: string): Finding => ({
  about: `${item.type} item of envelope ${item.seq}`,
  at: atItem(item),
  path: '',
  actual: `${sizeOf(bytes)}${each}, ${bytes > most ? 'above' : `${Math.floor((100 * bytes) / most)} % of`} Sentry’s limit`,
  expected: `at most ${sizeOf(NEAR * most)}, which is ${NEAR * 100} % of Sentry’s limit of ${sizeOf(most)}`,
})

const sizeOf = (bytes: number): string =>
  bytes >= MiB ? `${round(bytes / MiB)} MiB` : bytes >= KiB ? `${round(bytes / KiB)} KiB` : `${Math.round(bytes)} bytes`

/** Rounds down, so that a size below a limit never reads as the limit. */
const round = (value: number): number => Math.floor(value * 100) / 100

/** Own properties only, because the sender chooses the type. */
const own = (table: Readonly<Record<string, number>>, type: string): number | null =>
  (Object.hasOwn(table, type) ? table[type] : undefined) ?? null
