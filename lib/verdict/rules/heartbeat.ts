import { CHILD_SPAN_TIMEOUT_MS, HEARTBEAT_MS } from '../../contract/values'
import { plural } from '../../format'
import { groupBy } from '../../group-by'
import { durationText } from '../text'
import { type Finding, verdictOf } from '../verdict'
import { atSpan, spanLabel } from './describe'
import {
  incompleteTraces,
  isHeldOpen,
  isListed,
  isWebVital,
  orSkipped,
  type PageSegment,
  pageSegments,
  pathIn,
  readyAt,
} from './group-spans'
import { openSpans } from './open-spans'
import type { Rule } from './rule'

/** Timers of a busy page are late. */
const LONGEST_US = (CHILD_SPAN_TIMEOUT_MS + 1000) * 1000

/**
 * Checks the child spans that kept a pageload or navigation open. Three beats count while no span begins or ends: SDK 7
 * compares the open spans at each beat, SDK 11 restarts `childSpanTimeout` with each span. So a child may stay open
 * longer while others come and go, and a page load first waits for its document. Incomplete traces are skipped.
 *
 * A span that is never ended holds its page open until a time-out, or until the page is closed: see `openSpans`.
 */
export const heartbeatRule: Rule = {
  id: 'heartbeat',
  title: 'No child span stays open past three beats',
  why: 'A request that never ends would keep its pageload or navigation open, so it would never be sent.',
  setting: 'heartbeat',
  judgedFrom: ['telemetry'],
  sentBy: 'pages',
  severity: 'warning',
  contractSeverity: 'error',
  fix: `Set childSpanTimeout: ${CHILD_SPAN_TIMEOUT_MS} in browserTracingIntegration (SDK 7: heartbeatInterval: ${HEARTBEAT_MS}).`,
  judge: (given) => {
    const cut = incompleteTraces(given)
    let leftOut = 0
    const findings: Finding[] = []
    let judged = 0
    for (const page of pageSegments(given.evidence)) {
      const ready = readyAt(page)
      if (ready === null) continue
      if (cut.has(page.segment.traceId)) {
        leftOut += 1
        continue
      }
      judged += page.children.filter(isHeldOpen).length
      findings.push(...openTooLong(page, ready))
    }
    const neverEnded = endless(pageSegments(given.evidence))
    findings.push(...neverEnded)
    judged += neverEnded.length
    const nothing = 'No pageload or navigation that waited for a child span was recorded.'
    return verdictOf(judged, findings, orSkipped(nothing, leftOut))
  },
}

/** One span may be open when its page is closed. */
const LEAST_OPEN = 2

function endless(pages: readonly PageSegment[]): readonly Finding[] {
  return [...groupBy(openSpans(pages), ({ span }) => spanLabel(span))].flatMap(([label, each]) => {
    const [first] = each
    if (first === undefined || (each.length < LEAST_OPEN && !first.isTimeout)) return []
    const { span, page } = first
    return [
      {
        about: `${label} of ${spanLabel(page.segment)}`,
        at: atSpan(span),
        path: pathIn(page.segment, 'end'),
        actual: `it never ended, so its page waited for it, ${plural(each.length, 'time')}: is span.end() called?`,
        expected: 'every started span is ended',
      },
    ]
  })
}

function openTooLong({ segment, children }: PageSegment, ready: number): readonly Finding[] {
  const { from, until } = longestStill({ segment, children }, ready)
  if (until - from <= LONGEST_US) return []
  return children
    .filter((child) => isHeldOpen(child) && child.startUs <= from && child.endUs >= until)
    .map((child) => ({
      about: `${spanLabel(child)} of ${spanLabel(segment)}`,
      at: atSpan(child),
      path: pathIn(segment, 'end'),
      actual: `open for ${durationText(until - from)} while no other span began or ended`,
      expected: `at most ${durationText(CHILD_SPAN_TIMEOUT_MS * 1000)}, three beats of ${durationText(HEARTBEAT_MS * 1000)}`,
    }))
}

/** The longest time without a start or end of a child. Spans from performance entries are left out: they are created later. */
function longestStill(
  { segment, children }: PageSegment,
  ready: number,
): { readonly from: number; readonly until: number } {
  const changes = children
    .filter((child) => !isWebVital(child) && !isListed(child))
    .flatMap(({ startUs, endUs }) => [startUs, endUs])
    .filter((at) => at > ready)
    .sort((one, other) => one - other)
  let longest = { from: ready, until: ready }
  let from = Math.max(ready, segment.startUs)
  for (const until of changes) {
    if (until - from > longest.until - longest.from) longest = { from, until }
    from = until
  }
  return longest
}
