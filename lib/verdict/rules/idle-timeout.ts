import { IDLE_TIMEOUT_MS, RECORDED_SPANS } from '../../contract/values'
import type { SeenSegment, SeenSpan } from '../evidence/evidence'
import { durationText } from '../text'
import { type Finding, verdictOf } from '../verdict'
import { atSegment, atSpan, spanLabel } from './describe'
import {
  FINISH_REASON,
  incompleteTraces,
  isHeldOpen,
  isWebVital,
  orSkipped,
  type PageSegment,
  pageSegments,
  pathIn,
  readyAt,
} from './group-spans'
import type { Rule } from './rule'

/** A busy page, or a pause of its garbage collector, delays one of two timestamps. Less than the idle time-out. */
const NOISE_US = 750_000
/** A timer of a busy or hidden page may be late by its own length, and a span is recorded late. */
const LATEST_US = 2 * IDLE_TIMEOUT_MS * 1000 + NOISE_US
const EXPECTED = `it ends with its last child, after ${durationText(IDLE_TIMEOUT_MS * 1000)} without an open span`

/**
 * Checks each navigation of a browser, and each pageload with children. SDKs 7 to 11 wait until no span has been open for
 * the whole idle time-out, then set the end of the segment to that of its last child. Three signs of another time-out:
 * - the segment ends later than all its children (a navigation without children lasts as long as the time-out);
 * - a child that holds the segment open ends later than the segment;
 * - a child begins after a pause longer than the time-out, when the segment should have ended.
 *
 * Exceptions: web vitals, which come later; a page load that `reportPageLoaded` ended, which is not trimmed; the last
 * child of a segment with discarded children; idle time before the document was loaded. Incomplete traces are skipped.
 */
export const idleTimeoutRule: Rule = {
  id: 'idle-timeout',
  title: 'A pageload or navigation ends with its last child',
  why: 'A segment that waits longer includes idle time, so every page looks slower than it was.',
  setting: 'idle-timeout',
  judgedFrom: ['telemetry'],
  sentBy: 'pages',
  severity: 'warning',
  contractSeverity: 'error',
  fix: `Set idleTimeout: ${IDLE_TIMEOUT_MS} in browserTracingIntegration, and do not end a pageload or navigation yourself.`,
  judge: (given) => {
    const cut = incompleteTraces(given)
    const all = pageSegments(given.evidence).filter(
      ({ segment, children }) =>
        (segment.op === 'navigation' || children.some((child) => !isWebVital(child))) &&
        segment.attributes[FINISH_REASON] !== 'reportPageLoaded',
    )
    const pages = all.filter(({ segment }) => !cut.has(segment.traceId))
    const findings = pages.flatMap((page) => [...endsTooLate(page), ...outlived(page), ...waited(page)])
    const nothing = 'No navigation and no pageload with a child span was recorded.'
    return verdictOf(pages.length, findings, orSkipped(nothing, all.length - pages.length))
  },
}

function endsTooLate({ segment, children }: PageSegment): readonly Finding[] {
  if (segment.attributes['sentry.idle_span_discarded_spans'] !== undefined) return []
  // Further children were not sent.
  if (segment.lifecycle === 'static' && children.length >= RECORDED_SPANS) return []
  if (children.every(isWebVital)) return lastedAlone(segment)
  let last: SeenSpan | undefined
  for (const child of children) {
    if (child.endUs > segment.endUs + NOISE_US) continue
    if (last === undefined || child.endUs > last.endUs) last = child
  }
  if (last === undefined || segment.endUs - last.endUs <= NOISE_US) return []
  const actual = `it ended ${durationText(segment.endUs - last.endUs)} after its last child, ${spanLabel(last)}`
  return [
    { about: spanLabel(segment), at: atSegment(segment), path: pathIn(segment, 'end'), actual, expected: EXPECTED },
  ]
}

function lastedAlone(segment: SeenSegment): readonly Finding[] {
  const lasted = segment.endUs - segment.startUs
  if (lasted <= LATEST_US) return []
  const actual = `it lasted ${durationText(lasted)} without an open span`
  return [
    { about: spanLabel(segment), at: atSegment(segment), path: pathIn(segment, 'end'), actual, expected: EXPECTED },
  ]
}

/** The SDK ends open children together with the segment, so none can end later. */
const outlived = ({ segment, children }: PageSegment): readonly Finding[] =>
  children
    .filter((child) => child.startUs <= segment.endUs && child.endUs > segment.endUs + NOISE_US && isHeldOpen(child))
    .map((child) => ({
      about: `${spanLabel(child)} of ${spanLabel(segment)}`,
      at: atSpan(child),
      path: pathIn(segment, 'end'),
      actual: `it ended ${durationText(child.endUs - segment.endUs)} after its ${segment.op}`,
      expected: EXPECTED,
    }))

function waited(page: PageSegment): readonly Finding[] {
  const { segment, children } = page
  const ready = readyAt(page)
  if (ready === null) return []
  const inOrder = children
    .filter((child) => !isWebVital(child) && child.startUs <= segment.endUs)
    .sort((one, other) => one.startUs - other.startUs)
  let openUntil = ready
  for (const child of inOrder) {
    const idle = child.startUs - openUntil
    if (idle > LATEST_US) {
      const actual = `${durationText(idle)} without an open span before ${spanLabel(child)}`
      return [{ about: spanLabel(segment), at: atSpan(child), path: 'start_timestamp', actual, expected: EXPECTED }]
    }
    openUntil = Math.max(openUntil, child.endUs)
  }
  return []
}
