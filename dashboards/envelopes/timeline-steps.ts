import { isOfTheEnvelope } from '../../lib/protocol/upstream-answer'
import type { Delivery } from '../../lib/wire/delivery'
import type { DeliveryStatus, ItemOutcome } from '../../lib/wire/delivery-status'
import type { EnvelopeDetail } from '../../lib/wire/envelope'

export type Step =
  | { readonly kind: 'digested' }
  | { readonly kind: 'attempt'; readonly at: number }
  | { readonly kind: 'again'; readonly after: number }
  | { readonly kind: 'decided'; readonly decided: Decided }

/**
 * What came after it was stored, by time: digest and relay do not wait for each other. What is not digested yet comes
 * last. `at` of an attempt is its place among them; what was decided by its answer follows it, also in the same ms.
 * @param again attempts after which a person sent it again: nobody noted when, and it was before what came of it.
 */
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
  // Two infinities have no difference: what is equal stays in its order.
  return [...timed].sort((one, other) => (one.at === other.at ? 0 : one.at - other.at)).map(({ step }) => step)
}

/** What was decided of some items, together. */
export interface Decided {
  readonly at: number
  readonly deliveryStatus: DeliveryStatus
  /** `null` where it was decided of the envelope as a whole. */
  readonly items: readonly Pick<EnvelopeDetail['items'][number], 'index' | 'type' | 'quantity'>[] | null
}

/** What became of the items, and when: those with the same status, decided at once, are told together, by time. */
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

/**
 * After which attempts, by their places, a person sent the envelope again: they made a dead letter of it, which goes on
 * by no other way. Not after the last one where that was left so: a dead letter still, or one that was dropped or gave way.
 */
export function sentAgain(
  attempts: readonly Pick<Delivery, 'status'>[],
  deliveryStatus: DeliveryStatus,
): ReadonlySet<number> {
  const isLeft =
    deliveryStatus.reason === 'dead_letter' || deliveryStatus.name === 'dropped' || deliveryStatus.name === 'invalid'
  const last = attempts.length - 1
  return new Set(
    attempts.flatMap(({ status }, at) =>
      status !== null && isOfTheEnvelope(status) && (at < last || !isLeft) ? [at] : [],
    ),
  )
}
