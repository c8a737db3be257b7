import { type DurationDiff, diffDurations } from './diff-durations'
import { diffSpans, type SpanDiff } from './diff-spans'
import type { RunCheck, RunData } from './run-data'

/** Kinds of differences, which a command may fail on. */
export const DIFF_KINDS = ['spans', 'errors', 'rules', 'durations'] as const
export type DiffKind = (typeof DIFF_KINDS)[number]

interface ErrorChange {
  readonly kind: 'new' | 'gone'
  readonly error: string
  readonly count: number
}

interface RuleChange {
  readonly id: string
  readonly before: 'pass' | 'fail' | 'warning'
  readonly after: 'pass' | 'fail' | 'warning'
}

/** Compares a run with an earlier one itself, which may be another one in each run. */
const COMPARES_RUNS = 'last-green-run'

/** Amounts in the last base run, and now. They differ from run to run, so they are information. */
interface AmountChange {
  readonly category: string
  readonly before: { readonly items: number; readonly bytes: number }
  readonly after: { readonly items: number; readonly bytes: number }
}

export interface Diff {
  readonly bases: readonly string[]
  readonly head: string
  readonly spans: SpanDiff
  readonly errors: readonly ErrorChange[]
  readonly rules: readonly RuleChange[]
  /** Rules that only some of the runs judged, which says nothing about telemetry. */
  readonly unjudgedRules: readonly string[]
  readonly amounts: readonly AmountChange[]
  readonly durations: DurationDiff
}

/** Compares a run with one or more earlier ones. @throws RangeError without a base run */
export function diffRuns(bases: readonly RunData[], head: RunData): Diff {
  const last = bases.at(-1)
  if (last === undefined) throw new RangeError('a diff needs at least one base run')
  const spans = diffSpans(bases, head)
  const errors = diffErrors(bases, head)
  return {
    bases: bases.map(({ label }) => label),
    head: head.label,
    spans,
    errors,
    rules: withoutConsequences(diffRules(bases, head), { spans, errors }),
    unjudgedRules: unjudgedRules([...bases, head]),
    amounts: diffAmounts(last, head),
    durations: diffDurations(bases, head),
  }
}

/** New: in no base run. Gone: in every base run, but not now. */
function diffErrors(bases: readonly RunData[], head: RunData): readonly ErrorChange[] {
  const fresh = [...head.errors].filter(([error]) => bases.every(({ errors }) => !errors.has(error)))
  const [first] = bases
  const gone = [...(first?.errors ?? [])].filter(
    ([error]) => !head.errors.has(error) && bases.every(({ errors }) => errors.has(error)),
  )
  return [
    ...fresh.map(([error, count]) => ({ kind: 'new' as const, error, count })),
    ...gone.map(([error, count]) => ({ kind: 'gone' as const, error, count })),
  ]
}

/**
 * Rules that passed in all base runs and fail now, or the other way round. Incomplete says that the run had nothing to
 * judge. A rule that fails as a warning in one run and as an error in another has the same verdict.
 */
function diffRules(bases: readonly RunData[], head: RunData): readonly RuleChange[] {
  return head.checks.flatMap((after) => {
    const earlier = bases.map(({ checks }) => checks.find(({ id }) => id === after.id))
    const before = earlier.at(-1)
    if (before === undefined || after.id === COMPARES_RUNS || before.verdict === after.verdict) return []
    if (earlier.some((check) => check?.verdict !== before.verdict)) return []
    if (before.verdict === 'incomplete' || after.verdict === 'incomplete') return []
    return [{ id: after.id, before: nameOf(before), after: nameOf(after) }]
  })
}

const nameOf = ({ verdict, severity }: RunCheck): RuleChange['before'] =>
  verdict === 'pass' ? 'pass' : severity === 'warning' ? 'warning' : 'fail'

/** None if a run was not judged at all. */
function unjudgedRules(runs: readonly RunData[]): readonly string[] {
  if (runs.some(({ checks }) => checks.length === 0)) return []
  const ids = new Set(runs.flatMap(({ checks }) => checks.map(({ id }) => id)))
  return [...ids].filter(
    (id) => id !== COMPARES_RUNS && runs.some(({ checks }) => checks.every((check) => check.id !== id)),
  )
}

/** The rules `errors` and `n-plus-one` say the same as the difference that they follow from. */
function withoutConsequences(
  rules: readonly RuleChange[],
  { spans, errors }: Pick<Diff, 'spans' | 'errors'>,
): readonly RuleChange[] {
  const followsFrom: Readonly<Record<string, boolean>> = {
    errors: errors.length > 0,
    'unhandled-errors': errors.length > 0,
    'n-plus-one': spans.changes.length > 0,
  }
  return rules.filter(({ id }) => followsFrom[id] !== true)
}

function diffAmounts(base: RunData, head: RunData): readonly AmountChange[] {
  const none = { items: 0, bytes: 0 }
  const categories = new Set([...base.amounts, ...head.amounts].map(({ category }) => category))
  const amountOf = ({ amounts }: RunData, category: string) => {
    const found = amounts.find((one) => one.category === category)
    return found === undefined ? none : { items: found.items, bytes: found.bytes }
  }
  return [...categories]
    .sort()
    .map((category) => ({ category, before: amountOf(base, category), after: amountOf(head, category) }))
    .filter(({ before, after }) => before.items !== after.items || before.bytes !== after.bytes)
}

/** How many differences of each kind were found. Durations that are only listed are none. */
export const countDifferences = ({ spans, errors, rules, durations }: Diff): Readonly<Record<DiffKind, number>> => ({
  spans: spans.changes.length,
  errors: errors.length,
  rules: rules.length,
  durations: durations.isJudged ? durations.changes.length : 0,
})
