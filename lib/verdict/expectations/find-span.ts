import { plural } from '../../format'
import type { SeenSpan } from '../evidence/evidence'
import { listFirst } from '../text'
import { type Boards, type ExpectationResult, verdictOf } from '../verdict'
import { type Criteria, describeCriteria, matches } from './criteria'
import { linkLines, nearestLines, paragraphs, positionOf } from './explain'
import { checkCriteriaFor, labelWithDuration } from './kinds'
import { noSpansReason, type Trace, unfinishedReason } from './trace'

/** Incomplete if there is no match and the trace is unfinished. @throws TypeError for invalid criteria. */
export function findSpan(
  trace: Trace,
  criteria: Criteria<SeenSpan>,
  boards: Boards,
): ExpectationResult & { readonly found: SeenSpan | null } {
  checkCriteriaFor('span', criteria)
  const found = trace.spans.find((span) => matches(span, criteria)) ?? null
  const expected = describeCriteria(criteria)
  if (found !== null) {
    const at = positionOf(found)
    return {
      found,
      verdict: verdictOf(trace.spans.length, [], ''),
      message: '',
      negatedMessage: paragraphs([
        [`the trace has a span ${expected}; expected none`],
        [`found: ${labelWithDuration(found)} (envelope ${found.seq}, item ${found.item})`, ...linkLines(at, boards)],
      ]),
    }
  }
  const unfinished = unfinishedReason(trace) ?? noSpansReason(trace)
  const about = `the trace has no span ${expected}`
  const words = (): string =>
    paragraphs([
      [about, ...(unfinished === null ? [] : [unfinished])],
      nearestLines('span', trace.spans, criteria, boards),
      spanLines(trace),
    ])
  const at = { seq: trace.spans[0]?.seq ?? trace.events[0]?.seq ?? 0, item: 0, traceId: trace.traceId }
  const finding = {
    about: `trace ${trace.traceId}`,
    at,
    path: '',
    actual: plural(trace.spans.length, 'span'),
    expected: `a span ${expected}`,
  }
  return {
    found,
    verdict:
      unfinished === null ? verdictOf(trace.spans.length, [finding], '') : { verdict: 'incomplete', why: unfinished },
    // Built on demand: of a thousand traces only one message is printed.
    get message() {
      return words()
    },
    negatedMessage: '',
  }
}

function spanLines(trace: Trace): readonly string[] {
  const counts = new Map<string, number>()
  for (const { op } of trace.spans) counts.set(op ?? '(no op)', (counts.get(op ?? '(no op)') ?? 0) + 1)
  const words = [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([op, count]) => (count === 1 ? op : `${count} ${op}`))
  return [`the trace has ${plural(trace.spans.length, 'span')}${words.length === 0 ? '' : `: ${listFirst(words, 8)}`}`]
}
