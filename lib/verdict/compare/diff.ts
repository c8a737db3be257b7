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
  readonly before: RunCheck['verdict']
  readonly after: RunCheck['verdict']
}

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

/** Rules with one verdict in all base runs, and another one now. Incomplete says that the run had nothing to judge. */
function diffRules(bases: readonly RunData[], head: RunData): readonly RuleChange[] {
  return head.checks.flatMap(({ id, verdict: after }) => {
    const verdicts = bases.map(({ checks }) => checks.find((check) => check.id === id)?.verdict)
    const [before] = verdicts
    if (before === undefined || before === after || verdicts.some((verdict) => verdict !== before)) return []
    return before === 'incomplete' || after === 'incomplete' ? [] : [{ id, before, after }]
  })
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
