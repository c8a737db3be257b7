import type { Delivery } from '../../lib/wire/delivery'
import type { Decided } from './decided'

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
