import { CHILD_SPAN_TIMEOUT_MS, HEARTBEAT_MS } from '../../contract/values'
import { type Finding, verdictOf } from '../verdict'
import { atSpan, spanWords, toldDuration } from './describe'
import {
  cutTraces,
  endPath,
  isHeldOpen,
  isListed,
  isWebVital,
  orCut,
  type PageSegment,
  pageSegments,
  readyAt,
} from './group-spans'
import type { Rule } from './rule'

/** A timer of a busy page is late. */
const LONGEST_US = (CHILD_SPAN_TIMEOUT_MS + 1000) * 1000

/**
 * Judged from the children of pageloads and navigations that the SDK held open. Three beats count while nothing begins or
 * ends: SDK 7 compares the open spans at each beat, and 11 starts `childSpanTimeout` anew with each span. So a child may be
 * older where others came and went, and a page load waits for its document first. The beats of the live stream are the
 * collector's own, and none of telemetry. One of which a part may not be in the evidence is not judged.
 */
export const heartbeatRule: Rule = {
  id: 'heartbeat',
  title: 'No child span stays open past three beats',
  why: 'One request that never ends would keep its pageload or navigation open, and from being sent.',
  setting: 'heartbeat',
  judgedFrom: ['telemetry'],
  sentBy: 'pages',
  severity: 'error',
  fix: `Set childSpanTimeout: ${CHILD_SPAN_TIMEOUT_MS} in browserTracingIntegration (SDK 7: heartbeatInterval: ${HEARTBEAT_MS}).`,
  judge: (given) => {
    const cut = cutTraces(given)
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
    const nothing = 'No pageload or navigation was recorded that waited for a child span.'
    return verdictOf(judged, findings, orCut(nothing, leftOut))
  },
}

function openTooLong({ segment, children }: PageSegment, ready: number): readonly Finding[] {
  const { from, until } = longestStill({ segment, children }, ready)
  if (until - from <= LONGEST_US) return []
  return children
    .filter((child) => isHeldOpen(child) && child.startUs <= from && child.endUs >= until)
    .map((child) => ({
      about: `${spanWords(child)} of ${spanWords(segment)}`,
      at: atSpan(child),
      path: endPath(segment),
      actual: `open for ${toldDuration(until - from)} in which the SDK saw nothing else begin or end`,
      expected: `at most ${toldDuration(CHILD_SPAN_TIMEOUT_MS * 1000)}: three beats of ${toldDuration(HEARTBEAT_MS * 1000)}`,
    }))
}

/** The longest stretch in which no child began or ended that the SDK saw: what the browser lists, it reads afterwards. */
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
