import type { Delivery } from '../../../lib/wire/delivery'

export type Step = { readonly kind: 'digested' } | { readonly kind: 'attempt'; readonly at: number }

/**
 * What came after it was stored, by time: digest and relay do not wait for each other. What is not digested yet comes
 * behind the attempts that were made. `at` is the place among the attempts.
 */
export function stepsOf(digestedAt: number | null, attempts: readonly Pick<Delivery, 'startedAt'>[]): readonly Step[] {
  const before = attempts.filter(({ startedAt }) => digestedAt === null || startedAt < digestedAt).length
  const all = attempts.map((_, at): Step => ({ kind: 'attempt', at }))
  return [...all.slice(0, before), { kind: 'digested' }, ...all.slice(before)]
}
