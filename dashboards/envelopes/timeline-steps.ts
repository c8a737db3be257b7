import { isEnvelopeRejected } from '../../lib/protocol/upstream-answer'
import type { Delivery } from '../../lib/wire/delivery'
import type { DeliveryStatus, ItemOutcome } from '../../lib/wire/delivery-status'
import type { EnvelopeDetail } from '../../lib/wire/envelope'

export interface EnvelopeHistory {
  /** `null` when the journal no longer has the time. */
  readonly storedAt: number | null
  readonly outcomes: readonly ItemOutcome[]
}

type Step =
  | { readonly kind: 'digested' }
  | { readonly kind: 'attempt'; readonly at: number }
  | { readonly kind: 'again'; readonly after: number }
  | { readonly kind: 'decided'; readonly decided: Decided }

/** The steps after storing, by time; an open digest comes last. A person sent it again after the attempts `again`. */
export function stepsOf(
  digestedAt: number | null,
  attempts: readonly Pick<Delivery, 'startedAt'>[],
  decided: readonly Decided[],
  again: ReadonlySet<number> = new Set(),
): readonly Step[] {
  const timed: readonly { readonly at: number; readonly step: Step }[] = [
    { at: digestedAt ?? Number.POSITIVE_INFINITY, step: { kind: 'digested' } },
    ...[...again].map((after) => ({
      at: attempts[after + 1]?.startedAt ?? decided[0]?.at ?? Number.POSITIVE_INFINITY,
      step: { kind: 'again' as const, after },
    })),
    ...attempts.map(({ startedAt }, at) => ({ at: startedAt, step: { kind: 'attempt' as const, at } })),
    ...decided.map((one) => ({ at: one.at, step: { kind: 'decided' as const, decided: one } })),
  ]
  // Infinity minus infinity is NaN, so equal times are compared first.
  return [...timed].sort((one, other) => (one.at === other.at ? 0 : one.at - other.at)).map(({ step }) => step)
}

export interface Decided {
  readonly at: number
  readonly deliveryStatus: DeliveryStatus
  /** `null` for an outcome of the whole envelope. */
  readonly items: readonly Pick<EnvelopeDetail['items'][number], 'index' | 'type' | 'quantity'>[] | null
}

/** The outcomes of an envelope, grouped by status and time, oldest first. */
export function decidedOf(
  items: readonly Pick<EnvelopeDetail['items'][number], 'index' | 'type' | 'quantity'>[],
  outcomes: readonly Pick<ItemOutcome, 'item' | 'outcome' | 'reason' | 'at'>[],
): readonly Decided[] {
  const byDeliveryStatus = new Map<string, Decided>()
  for (const { item, outcome, reason, at } of outcomes) {
    const key = JSON.stringify([outcome, reason, at, item === null])
    const before = byDeliveryStatus.get(key)?.items ?? []
    const found = items.find(({ index }) => index === item)
    byDeliveryStatus.set(key, {
      at,
      deliveryStatus: { name: outcome, reason },
      items: item === null ? null : [...before, found ?? { index: item, type: 'item', quantity: 1 }],
    })
  }
  return [...byDeliveryStatus.values()].sort((a, b) => a.at - b.at)
}

/** The indices of the attempts after which a person sent the envelope again: a dead letter is not retried otherwise. */
export function sentAgain(
  attempts: readonly Pick<Delivery, 'status'>[],
  deliveryStatus: DeliveryStatus,
): ReadonlySet<number> {
  const isLeft =
    deliveryStatus.reason === 'dead_letter' || deliveryStatus.name === 'dropped' || deliveryStatus.name === 'invalid'
  const last = attempts.length - 1
  return new Set(
    attempts.flatMap(({ status }, at) =>
      status !== null && isEnvelopeRejected(status) && (at < last || !isLeft) ? [at] : [],
    ),
  )
}
