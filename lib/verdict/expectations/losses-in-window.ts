import type { EnvelopeSummary } from '../../wire/envelope'
import { accountOf, accountSentence, type LedgerEntry } from '../../wire/ledger-account'
import type { Losses } from '../../wire/losses'
import type { Evidence } from '../evidence/evidence'
import { reportedDiscard } from '../evidence/reported-discard'

export type EnvelopeStatus = Pick<EnvelopeSummary, 'seq' | 'deliveryStatus' | 'lastDelivery'> & {
  readonly items: readonly Pick<EnvelopeSummary['items'][number], 'index' | 'deliveryStatus'>[]
}

interface Entry extends LedgerEntry {
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
  evidence: Pick<Evidence, 'items' | 'signals' | 'spans'>,
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
    return [
      { category, entry: 'received', reason: null, quantity, status: null },
      { category, entry: name, reason, quantity, status },
    ]
  })
  const discarded = evidence.signals.flatMap((signal): readonly Entry[] => {
    const discard = reportedDiscard(signal)
    return discard === null ? [] : [{ ...discard, entry: 'client_discard', status: null }]
  })
  const entries = [...received, ...discarded]
  const transactions = new Set(
    evidence.items.flatMap(({ type, copy, seq, item }) => (type === 'transaction' && !copy ? [`${seq} ${item}`] : [])),
  )
  const innerSpans = evidence.spans.filter(({ seq, item }) => transactions.has(`${seq} ${item}`)).length
  const account = accountOf(entries)
  const sentence = `of this part of the record: ${accountSentence(account) || 'nothing was made'}`
  return {
    losses: { now, journal, stamp, ...account, deadLetters: deadLettersOf(entries), innerSpans, sentence },
    withoutStatus: withoutStatus.size,
  }
}

function deadLettersOf(entries: readonly Entry[]): Losses['deadLetters'] {
  const dead = entries.flatMap(({ category, status, quantity }) =>
    status === null ? [] : [{ category, status, quantity }],
  )
  const sums = new Map<string, Losses['deadLetters'][number]>()
  for (const one of dead) {
    const key = JSON.stringify([one.category, one.status])
    sums.set(key, { ...one, quantity: one.quantity + (sums.get(key)?.quantity ?? 0) })
  }
  return [...sums.values()].sort((one, other) => other.quantity - one.quantity)
}
