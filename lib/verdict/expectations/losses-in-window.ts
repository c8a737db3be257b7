import { REPORT_CATEGORY } from '../../protocol/data-category'
import { countedDiscard, type DeliveryStatusName, lostBy, OUTCOMES } from '../../protocol/outcome'
import type { EnvelopeSummary } from '../../wire/envelope'
import type { LedgerRow, Loss, Losses } from '../../wire/losses'
import type { Evidence } from '../evidence/evidence'

export type EnvelopeStatus = Pick<EnvelopeSummary, 'seq' | 'deliveryStatus' | 'lastDelivery'> & {
  readonly items: readonly Pick<EnvelopeSummary['items'][number], 'index' | 'deliveryStatus'>[]
}

interface Entry {
  readonly category: string
  readonly entry: Exclude<DeliveryStatusName, 'copy'> | 'client_discard'
  readonly reason: string | null
  readonly quantity: number
  /** HTTP status that made it a dead letter; `null` otherwise. */
  readonly status: number | null
}

/**
 * The losses among some of the stored envelopes, in the format of the losses among all. The collector keeps ledger totals
 * only for all envelopes, so these are computed from the status of each item and from client reports. Refusals at the
 * endpoint are not included, because they belong to no envelope.
 * @param withStatus the status of the checked envelopes
 * @returns `withoutStatus`: number of envelopes whose status is no longer known
 */
export function lossesInWindow(
  evidence: Pick<Evidence, 'items' | 'signals'>,
  withStatus: Iterable<EnvelopeStatus>,
  { now, journal, stamp }: Pick<Losses, 'now' | 'journal' | 'stamp'>,
): { readonly losses: Losses; readonly withoutStatus: number } {
  const bySeq = new Map([...withStatus].map((one) => [one.seq, one]))
  const withoutStatus = new Set<number>()
  const received = evidence.items.flatMap(({ seq, item, category, quantity, copy }): readonly Entry[] => {
    if (copy) return []
    const envelope = bySeq.get(seq)
    if (envelope === undefined) {
      withoutStatus.add(seq)
      return []
    }
    // Item rows may be evicted or not indexed yet; then the envelope's status counts.
    const { name, reason } =
      envelope.items.find(({ index }) => index === item)?.deliveryStatus ?? envelope.deliveryStatus
    if (name === 'copy') return []
    const status = reason === 'dead_letter' ? (envelope.lastDelivery?.status ?? 0) : null
    return [{ category, entry: name, reason, quantity, status }]
  })
  const discarded = evidence.signals.flatMap(({ kind, copy, fields }): readonly Entry[] => {
    const { category, reason, quantity } = fields
    const discard = kind === 'client_report' && !copy ? countedDiscard({ category, reason, quantity }) : null
    return discard === null ? [] : [{ ...discard, entry: 'client_discard', status: null }]
  })
  const entries = [...received, ...discarded]
  const categories = [...new Set(entries.map(({ category }) => category))]
  const rows = categories.map((of) =>
    ledgerRowOf(
      of,
      entries.filter(({ category }) => category === of),
    ),
  )
  const sum = (of: (row: LedgerRow) => number): number =>
    rows.reduce((all, row) => (row.category === REPORT_CATEGORY ? all : all + of(row)), 0)
  const sums = {
    made: sum(({ made }) => made),
    accepted: sum(({ accepted }) => accepted),
    kept: sum(({ kept }) => kept),
    pending: sum(({ pending }) => pending),
  }
  const lost = sums.made - sums.accepted - sums.kept - sums.pending
  const sentence = `of this part of the record: made ${sums.made}, accepted ${sums.accepted}, kept ${sums.kept}, pending ${sums.pending}, lost ${lost}`
  return {
    losses: {
      now,
      journal,
      stamp,
      categories: rows,
      losses: lossesOf(entries),
      deadLetters: deadLettersOf(entries),
      ...sums,
      lost,
      unexplained: 0,
      sentence,
    },
    withoutStatus: withoutStatus.size,
  }
}

function ledgerRowOf(category: string, entries: readonly Entry[]): LedgerRow {
  const amountOf = (name: Entry['entry']): number =>
    entries.reduce((sum, { entry, quantity }) => (entry === name ? sum + quantity : sum), 0)
  const made = entries.reduce((sum, { quantity }) => sum + quantity, 0)
  const discarded = amountOf('client_discard')
  const outcomes = Object.fromEntries(OUTCOMES.map((name) => [name, amountOf(name)])) as Record<
    (typeof OUTCOMES)[number],
    number
  >
  return {
    category,
    made,
    discarded,
    received: made - discarded,
    pending: amountOf('pending'),
    ...outcomes,
    unexplained: 0,
  }
}

function lossesOf(entries: readonly Entry[]): Loss[] {
  const losses = entries.flatMap(({ category, entry, reason, quantity }): readonly Loss[] => {
    const by = lostBy(entry, reason)
    return by === null ? [] : [{ by, reason: reason ?? entry, category, quantity }]
  })
  return summed(losses, ({ by, reason, category }) => JSON.stringify([by, reason, category]))
}

function deadLettersOf(entries: readonly Entry[]): Losses['deadLetters'] {
  const dead = entries.flatMap(({ category, status, quantity }) =>
    status === null ? [] : [{ category, status, quantity }],
  )
  return summed(dead, ({ category, status }) => JSON.stringify([category, status]))
}

function summed<One extends { readonly quantity: number }>(all: readonly One[], keyOf: (one: One) => string): One[] {
  const sums = new Map<string, One>()
  for (const one of all) {
    const key = keyOf(one)
    sums.set(key, { ...one, quantity: one.quantity + (sums.get(key)?.quantity ?? 0) })
  }
  return [...sums.values()].sort((one, other) => other.quantity - one.quantity)
}
