import * as z from 'zod'
import { sumByCategory } from '../../protocol/data-category'
import { fail, type Result, succeed } from '../../protocol/result'
import type { Losses } from '../../wire/losses'
import type { Evidence } from '../evidence/evidence'
import { reportedDiscard } from '../evidence/reported-discard'
import { quantitiesText } from '../text'
import type { KnownFailure } from './report'
import { subtractLosses } from './subtract-losses'

/** The `kind` of a line that a test reports to `waystation run`. */
export const TEST_LIMITS = 'rate limit'

const lineSchema = z.object({ kind: z.literal(TEST_LIMITS), stamp: z.string() })

/** The line of a test that sets a rate limit on its own telemetry. */
export const writeTestLimit = (stamp: string): z.infer<typeof lineSchema> => ({ kind: TEST_LIMITS, stamp })

/** Parses the JSON of `writeTestLimit`. @returns the stamp, or a message for malformed input */
export function readTestLimit(line: unknown): Result<string, string> {
  const parsed = lineSchema.safeParse(line)
  if (parsed.success) return succeed(parsed.data.stamp)
  const [issue] = parsed.error.issues
  return fail(`${issue?.path.join('.')}: ${issue?.message}`)
}

/** A test that set a rate limit on its own telemetry. */
export interface LimitedTest {
  /** As a part of a sentence: `the test backs off (cart.spec.ts:11)`. */
  readonly test: string
  readonly stamp: string
  /** Those with its stamp. */
  readonly losses: Losses
}

/** Reasons of items that the SDK, the relay or upstream dropped because of a rate limit. */
const LIMIT_REASONS: readonly string[] = ['ratelimit_backoff', 'limited', 'depends_on_limited', 'upstream_429']

/** The losses that the test's limit caused. Items that wait for its end are still pending. */
const ofLimit = ({ losses, ...rest }: Losses): Losses => ({
  ...rest,
  losses: losses.filter(({ reason }) => LIMIT_REASONS.includes(reason)),
  categories: [],
  deadLetters: [],
})

/** The losses of a run without those that tests caused by their own rate limits. */
export const withoutLimitLosses = (losses: Losses, tests: readonly LimitedTest[]): Losses =>
  tests.reduce((rest, test) => subtractLosses(rest, ofLimit(test.losses)), losses)

/** The evidence without the discards that SDKs reported because of these limits. */
export function withoutLimitDiscards(evidence: Evidence, tests: readonly LimitedTest[]): Evidence {
  const stamps = new Set(tests.map(({ stamp }) => stamp))
  if (stamps.size === 0) return evidence
  const signals = evidence.signals.filter((signal) => {
    const discard = signal.stamp !== null && stamps.has(signal.stamp) ? reportedDiscard(signal) : null
    return discard === null || !LIMIT_REASONS.includes(discard.reason)
  })
  return { ...evidence, signals }
}

/** The losses of these tests to their limits as known failures of the report, one per test. */
export function limitFailures(tests: readonly LimitedTest[]): readonly KnownFailure[] {
  return tests.flatMap(({ test, losses }): readonly KnownFailure[] => {
    const lost = sumByCategory(
      ofLimit(losses).losses.map(({ category, quantity }) => ({ category: category ?? 'envelope', quantity })),
    )
    if (lost.size === 0) return []
    return [{ id: 'losses', about: `${quantitiesText(lost)} lost to a rate limit`, count: 1, by: `set by ${test}` }]
  })
}
