import { groupBy } from '../../../lib/group-by'
import { PageMismatchError } from './check-page'
import type { MirrorCursor, OlderPage, OlderRecord } from './journal-page'
import type { Parts } from './mirror-parts'
import type { MirrorReach } from './mirror-reach'

/** @throws PageMismatchError unless the page ends where the mirror begins, is whole, and has the state of the cursor */
export function checkOlder(
  { at, first, upTo, facts }: OlderPage,
  reach: MirrorReach | null,
  cursor: MirrorCursor,
): void {
  if (reach === null || upTo !== reach.from - 1)
    throw new PageMismatchError(`it ends with fact ${upTo}, but the mirror begins at ${reach?.from ?? 'the oldest'}`)
  if (at.n !== cursor.n || at.batch !== cursor.batch)
    throw new PageMismatchError(`it has the state after fact ${at.n}, but the mirror has reached fact ${cursor.n}`)
  if (facts.length !== upTo - first + 1 || facts.some(({ n }, place) => n !== first + place))
    throw new PageMismatchError(`it has ${facts.length} facts instead of ${first} to ${upTo}`)
}

/**
 * Adds records with the state that they have by now. Later facts about them were skipped when they came, and those to
 * come find the records. Limits that pages were sent are not derived: they depend on the order of the records.
 */
export function applyOlder(parts: Parts, { facts, records, attempts, outcomes }: OlderPage): void {
  const byRecord = groupBy(outcomes, ({ seq }) => seq)
  for (const fact of facts) parts.journal.addOlder(fact)
  for (const record of records) addRecord(parts, record)
  // By the number of its fact, a delivery has the same address in every mirror.
  for (const { n, attempt } of attempts) parts.attempts.add(attempt, n, n)
  for (const record of records) {
    const decided = byRecord.get(record.seq) ?? []
    const [outcome] = decided
    if (outcome === undefined) continue
    parts.ledger.insertOutcomes(record.seq, decided, outcome.at)
    if (record.status === 'pending') parts.limits.periods.addCut(record, record.seq, decided, outcome.at)
  }
}

function addRecord({ records, ledger, deadLetters, time }: Parts, record: OlderRecord): void {
  const { seq, storedBytes, publicKey, project, diedAt, diedWith } = record
  const row = { ...record, journal: seq }
  // The shared record forgets receipts, so a newer one may have the same.
  if (records.insert(row, storedBytes, seq) === null)
    records.insert({ ...row, receipt: `${row.receipt}+${seq}` }, storedBytes, seq)
  // A search for settled records must not begin behind it.
  ledger.pendingUpTo = Math.min(ledger.pendingUpTo, seq - 1)
  if (!record.isPending && diedAt === null) return
  ledger.requeue({ seq, publicKey, project, ranAt: time.ran, bytes: storedBytes })
  if (diedAt !== null) deadLetters.add(seq, diedAt, diedWith ?? 0)
}
