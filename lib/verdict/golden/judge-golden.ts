import { nodesOf } from '../../protocol/trace/span-tree'
import { linkLines, paragraphs } from '../expectations/explain'
import { noSpansReason, type Trace, unfinishedReason } from '../expectations/trace'
import { type Boards, type ExpectationResult, finding, verdictOf } from '../verdict'
import { differenceOf } from './difference'
import { type Golden, goldenText, parseGolden } from './golden-file'
import { goldenOf } from './golden-trace'
import { matchesGolden, mergeGolden } from './merge'

/**
 * When the file is written: `update` also one that differs, `create` and `create-and-fail` a missing one. With
 * `create-and-fail` the test fails nevertheless, as Playwright's default demands.
 */
export type GoldenMode = 'update' | 'create' | 'create-and-fail' | 'compare'

export interface GoldenPlan {
  /** The path of the file for messages. */
  readonly path: string
  /** `null` if there is none. */
  readonly text: string | null
  readonly mode: GoldenMode
  readonly attributes: readonly string[]
  /** Why more of the trace may arrive, besides reasons in the trace itself. */
  readonly doubts: readonly string[]
  /** How a person updates the file: `npx vitest -u`. */
  readonly updateCommand: string
  readonly boards: Boards
}

/** @property write the text to write to the file; `null` leaves it as it is */
export interface GoldenAnswer extends ExpectationResult {
  readonly write: string | null
}

/** Compares a trace with its file. A trace that may be incomplete is never written. */
export function judgeGolden(trace: Trace, plan: GoldenPlan): GoldenAnswer {
  const { path, text, mode } = plan
  const doubt = noSpansReason(trace) ?? unfinishedReason(trace) ?? missingParent(trace) ?? plan.doubts[0] ?? null
  const actual = goldenOf(trace, plan.attributes)
  if (!actual.ok) return incomplete([`the trace cannot be compared with ${path}: ${actual.error}`], doubt)
  const written = (golden: Golden): GoldenAnswer =>
    doubt === null
      ? { ...passed(trace, path), write: goldenText(golden) }
      : incomplete([`${path} was not written, because more of the trace may arrive`], doubt)
  if (text === null) {
    if (mode === 'compare')
      return incomplete([`${path} does not exist`, `write it with ${plan.updateCommand}, and commit it`], null)
    const answer = written(actual.value)
    const isNew = mode === 'create-and-fail' && answer.write !== null
    return isNew
      ? {
          ...incomplete([`${path} did not exist and was written: read it, commit it, and run the test again`], null),
          write: answer.write,
        }
      : answer
  }
  const expected = parseGolden(text)
  if (!expected.ok) return incomplete([`${path}: ${expected.error}`], null)
  if (matchesGolden(expected.value, actual.value)) return { ...passed(trace, path), write: null }
  return mode === 'update'
    ? written(mergeGolden(expected.value, actual.value))
    : different(trace, { expected: expected.value, actual: actual.value, doubt }, plan)
}

const passed = ({ spans }: Trace, path: string): ExpectationResult => ({
  verdict: { verdict: 'pass', judged: Math.max(1, spans.length) },
  message: '',
  negatedMessage: `the trace matches ${path}; expected a difference`,
})

function incomplete(lines: readonly string[], doubt: string | null): GoldenAnswer {
  const why = doubt ?? lines[0] ?? ''
  const message = paragraphs([lines, doubt === null ? [] : [doubt]])
  return { verdict: { verdict: 'incomplete', why }, message, negatedMessage: '', write: null }
}

interface Compared {
  readonly expected: Golden
  readonly actual: Golden
  readonly doubt: string | null
}

function different(trace: Trace, { expected, actual, doubt }: Compared, plan: GoldenPlan): GoldenAnswer {
  const { lines, missing, added, cause } = differenceOf(expected, actual)
  const counts = `${missing} of its lines missing, ${added} new`
  const first = trace.spans[0]
  const at = first === undefined ? null : { seq: first.seq, item: first.item, traceId: trace.traceId }
  const message = paragraphs([
    [`the trace differs from ${plan.path}: ${counts}`, ...(doubt === null ? [] : [doubt])],
    lines,
    cause === null ? [] : [`likely cause: ${cause}`],
    [`if the trace is right, update the file: ${plan.updateCommand}`],
    linkLines(at, plan.boards),
  ])
  const found = finding(`trace ${trace.traceId}`, counts, `the lines of ${plan.path}`)
  const verdict =
    doubt === null
      ? verdictOf(trace.spans.length, [{ ...found, at }], '')
      : { verdict: 'incomplete' as const, why: doubt }
  return { verdict, message, negatedMessage: '', write: null }
}

/** Segments continue traces of others, whose spans may be elsewhere; other spans arrive with their parents. */
function missingParent({ roots }: Trace): string | null {
  const count = nodesOf(roots).filter(({ orphan, span }) => orphan && !span.isSegment).length
  if (count === 0) return null
  return `the trace is incomplete: ${count === 1 ? 'the parent of a span has' : `the parents of ${count} spans have`} not arrived`
}
