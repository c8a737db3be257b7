import { formatCount, formatDurationMs, plural } from '../format'
import { countDifferences, diffRuns } from '../verdict/compare/diff'
import { type DurationChange, listDurations } from '../verdict/compare/diff-durations'
import { listSpans } from '../verdict/compare/diff-spans'
import { diffHeadline } from '../verdict/compare/diff-text'
import type { RunData } from '../verdict/compare/run-data'
import { lossReason } from '../wire/loss-text'
import type { Loss } from '../wire/losses'
import { type Answer, joined, type Line, line, own, type Section } from './answer'
import { label, received } from './received'

/** Rows of one kind that an answer has. */
const MOST_LISTED = 40

export interface ComparedLoss extends Loss {
  readonly before: number
  readonly after: number
}

export interface Compared {
  /** Of several runs a difference is one from all of them. */
  readonly bases: readonly RunData[]
  readonly head: RunData
  /** Envelopes of both sides; of marks. */
  readonly envelopes?: readonly [number, number]
  readonly losses?: readonly ComparedLoss[]
  readonly gaps?: readonly string[]
  /** The mark after which the second side begins. */
  readonly since?: string
  /** TRACE/SPAN of a span of the second side with this name, in a trace of this name; `null` without one. */
  readonly exampleOf?: (trace: string, span: string) => string | null
}

/** The answer about two sides: what came, went and changed, judged where there is enough to judge. */
export function compareAnswer(compared: Compared): Answer {
  const { bases, head, envelopes, losses = [], gaps = [], since, exampleOf = () => null } = compared
  const diff = diffRuns(bases, head)
  const [base] = bases
  const isPair = base !== undefined && bases.length === 1
  const durations = diff.durations.isJudged || !isPair ? diff.durations.changes : listDurations(base, head)
  const judged = Object.values(countDifferences(diff)).reduce((sum, count) => sum + count, 0)
  const listed = isPair ? listSpans(base, head) : []
  const changed = isPair ? changedErrors(base, head) : []
  const unjudged = listed.length + changed.length + (diff.durations.isJudged ? 0 : durations.length)
  const came = diff.spans.changes.flatMap(({ kind, trace, span }) =>
    kind === 'came' ? (exampleOf(trace, span) ?? []) : [],
  )
  return {
    heading: own(
      unjudged === 0
        ? diffHeadline(diff)
        : `${judged === 0 ? 'No judged differences' : diffHeadline(diff)}, ${formatCount(unjudged)} listed and not judged`,
    ),
    sections: [
      {
        heading: null,
        rows: [
          ...bases.map((one) => sideLine('before', one, envelopes?.[0])),
          sideLine('after', head, envelopes?.[1]),
          ...gaps.map((gap) => line`incomplete: ${received('gap', gap)}`),
          judged === 0 && listed.length > 0 ? own('too few traces to judge spans: see what is listed') : null,
        ],
      },
      limited('Errors', [
        ...diff.errors.map(
          ({ kind, error, count }) => line`${own(kind)}: ${label('title', error)} (${own(formatCount(count))})`,
        ),
        ...changed,
      ]),
      limited(
        'Spans',
        diff.spans.changes.map(({ kind, trace, span, before, after }) =>
          spanLine({ kind, trace, span, before: [before, before], after: [after, after] }, exampleOf(trace, span)),
        ),
      ),
      limited(
        'Spans, listed and not judged: fewer than 3 traces a side',
        listed.map((change) => spanLine(change, exampleOf(change.trace, change.span))),
      ),
      limited(
        diff.durations.isJudged
          ? 'Durations'
          : 'Durations (medians), listed and not judged: two sides cannot tell a slow machine from a slow program',
        durations.map(durationLine),
      ),
      limited('Losses', losses.map(lossLine)),
      limited(
        'Rules',
        diff.rules.map(({ id, before, after }) => own(`${id}: ${before}, now ${after}`)),
      ),
    ],
    next: [
      ...came.slice(0, 1).map((id) => ({ verb: 'get', args: { id } })),
      ...(since === undefined ? [] : [{ verb: 'check', args: { since } }]),
      ...(losses.some(({ before, after }) => after > before) ? [{ verb: 'explain', args: {} }] : []),
      ...(/^[0-9a-f]{32}$/.test(head.label) ? [{ verb: 'get', args: { id: head.label } }] : []),
    ],
  }
}

/** How often an error occurs depends on the use of the program, so a changed number is listed, not judged. */
const changedErrors = (base: RunData, head: RunData): readonly Line[] =>
  [...head.errors].flatMap(([error, count]) => {
    const before = base.errors.get(error)
    return before === undefined || before === count
      ? []
      : [line`listed: ${label('title', error)}, ${before}, now ${count}`]
  })

function sideLine(side: string, { label: name, traces, errors }: RunData, envelopes: number | undefined): Line {
  const spans = traces.reduce(
    (sum, one) => sum + [...one.spans.values()].reduce((all, { length }) => all + length, 0),
    0,
  )
  const failed = [...errors.values()].reduce((sum, count) => sum + count, 0)
  return joined([
    line`${own(side)}: ${received('label', name)}`,
    envelopes === undefined ? null : own(plural(envelopes, 'envelope')),
    own(plural(traces.length, 'trace')),
    own(plural(spans, 'span')),
    own(plural(failed, 'error')),
  ])
}

type Count = readonly [number, number]

interface SpanChange {
  readonly kind: 'came' | 'went' | 'count'
  readonly trace: string
  readonly span: string
  readonly before: Count
  readonly after: Count
}

/** @param example an id of the span, whose name in a comparison has no numbers and ids */
function spanLine({ kind, trace, span, before, after }: SpanChange, example: string | null): Line {
  const where = span === trace ? line`${label('name', span)}` : line`${label('name', span)} in ${label('name', trace)}`
  if (kind === 'came')
    return line`came: ${where}, ${own(text(after))} per trace${example === null ? null : own(`, such as ${example}`)}`
  if (kind === 'went') return line`went: ${where}, ${own(text(before))} per trace`
  return line`count: ${where}, ${own(text(before))} per trace, now ${own(text(after))}`
}

const text = ([least, most]: Count): string => (least === most ? String(least) : `${least} to ${most}`)

const durationLine = ({ span, beforeMs, afterMs }: DurationChange): Line =>
  line`${label('name', span)}: ${own(formatDurationMs(beforeMs))}, now ${own(formatDurationMs(afterMs))}${afterMs >= 2 * beforeMs && beforeMs > 0 ? own(`, ${(afterMs / beforeMs).toFixed(1)} times as long`) : null}`

const lossLine = (loss: ComparedLoss): Line =>
  line`${received('category', loss.category ?? 'envelopes')} lost by ${own(loss.by)}: ${loss.before}, now ${loss.after} (${received('reason', lossReason(loss))})`

const limited = (heading: string, rows: readonly Line[]): Section => ({
  heading,
  rows: rows.slice(0, MOST_LISTED),
  leftOut: { count: rows.length - MOST_LISTED, noun: 'difference', call: null },
})
