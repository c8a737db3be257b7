import { createHash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { readAttempts, readPostSummaries } from '../../../collector/spool/read/read-deliveries'
import { createReadMethods } from '../../../collector/spool/read/read-methods'
import { newestSubmissions } from '../../../collector/spool/read/read-newest'
import { findByStatus } from '../../../collector/spool/read/read-numbers'
import { readDeliveryStatuses } from '../../../collector/spool/read/read-outcomes'
import {
  headOf,
  nextSubmissions,
  readSubmissionRow,
  readUserAgent,
  rowsFrom,
  seqsBetween,
  submissionsBySeq,
} from '../../../collector/spool/read/read-submissions'
import { DELIVERY_STATUSES, OUTCOMES } from '../../../lib/protocol/outcome'
import type { ListFilter } from '../../../lib/wire/list-filter'
import { type ListPosition, NEWEST, type PageRequest, readCursor } from '../../../lib/wire/list-paging'

/** The numbers of records in a file, and those of the shared journal. */
export interface Numbers {
  readonly toLocal: (shared: number) => number
  readonly toShared: (local: number) => number
}

export const SHARED: Numbers = { toLocal: (seq) => seq, toShared: (seq) => seq }

/** Fields that hold the number of a record. */
const NUMBERS: ReadonlySet<string> = new Set([
  'seq',
  'sourceSeq',
  'sentWith',
  'violatedSeq',
  'resumedSeq',
  'newer',
  'older',
])
const FILTERS: readonly ListFilter[] = [
  {},
  { answer: 503 },
  { answer: 200 },
  { not: [{ answer: 200 }] },
  { upstream: 'sentry.test/1' },
]

/**
 * The answers of every query of the record, by name, with the numbers of the shared journal. Ids of deliveries are left out:
 * those of a mirror are other ones.
 * @param seqs shared numbers of records, some of which may be gone
 */
export function answersOf(db: Database, numbers: Numbers, seqs: readonly number[]): Readonly<Record<string, unknown>> {
  const reads = createReadMethods(db)
  const own = seqs.map(numbers.toLocal)
  const all = Number.MAX_SAFE_INTEGER
  const { stamps, visitors } = SENDERS
  const sharedSeqs = (found: readonly number[]) => found.map(numbers.toShared)
  const statuses = readDeliveryStatuses(db, own)
  const answers = {
    record: own.map(reads.record),
    deliveries: FILTERS.map((filter) => pagesOf((position, page) => reads.deliveries(filter, position, page))),
    deliveriesOf: own.map((envelope) => pagesOf((position, page) => reads.deliveries({ envelope }, position, page))),
    outcomes: OUTCOMES.map((outcome) => pagesOf((position, page) => reads.outcomes({ outcome }, position, page))),
    everyOutcome: pagesOf((position, page) => reads.outcomes({}, position, page)),
    outcomesOf: own.map(reads.outcomesOf),
    losses: [null, ...stamps].map((stamp) => reads.losses(stamp, 0)),
    totals: reads.totals(),
    deadLetters: pagesOf(reads.deadLetters),
    deadSeqs: sharedSeqs(reads.deadSeqs()),
    deadItems: reads.deadItems(own),
    journal: [0, Math.floor((seqs.at(-1) ?? 0) / 2)].map((after) => reads.journal(after, 100_000)),
    head: reads.head(),
    recorded: [
      { stamp: null, unstamped: false },
      { stamp: 'a', unstamped: true },
    ].map((filter) => JSON.parse(new TextDecoder().decode(reads.recorded(0, filter, 1000).body)) as unknown),
    newestRecorded: sharedSeqs([reads.newestRecorded()]),
    limits: reads.limits(),
    limitHistory: reads.limitHistory(),
    unreported: reads.unreported('key', '1'),
    marks: reads.settings('error_group/'),
    moments: reads.settings('mark/'),
    pending: reads.pending('key', '1', 0, all),
    countPending: reads.countPending('key', '1'),
    stranded: reads.stranded([]),
    recent: reads.recent(0, all),
    visitor: reads.visitor(visitors, null, 100),
    visitorNeighbours: own.map((seq) => reads.visitorNeighbours(visitors, seq)),
    attempts: own.map((seq) => readAttempts(db, seq)),
    posts: readPostSummaries(db, own),
    newest: newestSubmissions(db, { stamp: null, after: 0 }),
    byStatus: DELIVERY_STATUSES.map((status) => [...(findByStatus(db, status, { below: all, most: 100_000 }) ?? [])]),
    statuses: own.map((seq) => [statuses(seq).of(-1), statuses(seq).of(0), statuses(seq).relayedAt]),
    next: [nextSubmissions(db, 0), submissionsBySeq(db, own.slice(-5))],
    rows: own.map((seq) => [readSubmissionRow(db, seq), readUserAgent(db, seq)]),
    ends: [...sharedSeqs([headOf(db), ...seqsBetween(db, 0, all)]), rowsFrom(db)],
  }
  return Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, comparable(answer, numbers)]))
}

/** Stamps and visitors of the traffic. */
export const SENDERS = {
  stamps: ['a', 'b', 'c', 'd', 'other-1', 'other-999'],
  visitors: ['visitor-1', 'visitor-2'],
} as const

/** Every page of a list, each read with the cursor of the one before it. */
function pagesOf<Page extends { readonly next: string | null }>(
  read: (position: ListPosition, page: PageRequest) => Page,
): readonly Page[] {
  const pages: Page[] = []
  let position: ListPosition | null = NEWEST
  while (position !== null) {
    const page: Page = read(position, { limit: 200 })
    pages.push(page)
    position = page.next === null ? null : readCursor(page.next)
  }
  return pages
}

function comparable(value: unknown, numbers: Numbers): unknown {
  if (value instanceof Uint8Array) return createHash('sha1').update(value).digest('hex')
  if (value instanceof Map)
    return comparable(
      [...value.entries()].map(([key, one]) => [comparableKey(key, numbers), one]),
      numbers,
    )
  if (Array.isArray(value)) return value.map((one) => comparable(one, numbers))
  if (typeof value !== 'object' || value === null) return value
  const isDelivery = 'startedAt' in value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      if (isDelivery && name === 'id') return []
      // A cursor contains numbers of the file.
      if (name === 'next' && typeof one === 'string') return [[name, 'a cursor']]
      return [[name, NUMBERS.has(name) && typeof one === 'number' ? numbers.toShared(one) : comparable(one, numbers)]]
    }),
  )
}

const comparableKey = (key: unknown, { toShared }: Numbers): unknown => (typeof key === 'number' ? toShared(key) : key)
