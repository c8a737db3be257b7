import { IDLE_TIMEOUT_MS, RECORDED_SPANS } from '../../contract/values'
import type { SeenSegment, SeenSpan } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { atSegment, atSpan, spanWords, toldDuration } from './describe'
import {
  cutTraces,
  endPath,
  isHeldOpen,
  isWebVital,
  orCut,
  type PageSegment,
  pageSegments,
  readyAt,
} from './group-spans'
import type { Rule } from './rule'

/** Times are floats of seconds that were added up. */
const ROUNDING_US = 5_000
/** A timer of a busy page, or of one in the background, may be late by as much as it is long. */
const LATEST_US = 2 * IDLE_TIMEOUT_MS * 1000
const WANTED = `it ends with its last child, after ${toldDuration(IDLE_TIMEOUT_MS * 1000)} in which nothing is open`

/**
 * Judged from each navigation of a browser, and each pageload with children. SDKs of version 7 to 11 wait until nothing was
 * open for the idle time-out, then end the segment at the time at which its last child had ended. So three things show
 * another time-out, or none: the segment ends later than all its children; a child that it waited for ends after it; it is
 * still open when a child begins longer after the last one than it would have waited. A navigation that has no children is
 * as long as the time-out itself.
 *
 * Not held against it: web vitals, which come later; a page load that `reportPageLoaded` ends, which is not trimmed; the
 * last child of one whose children were discarded; idle time before the document was there, which a page load waits for.
 * One of which a part may not be in the evidence is not judged.
 */
export const idleTimeoutRule: Rule = {
  id: 'idle-timeout',
  title: 'A pageload or navigation ends with its last child',
  why: 'A segment that waits longer counts time in which nothing happened, so every page looks slower than it was.',
  setting: 'idle-timeout',
  judgedFrom: ['telemetry'],
  sentBy: 'pages',
  severity: 'error',
  fix: `Set idleTimeout: ${IDLE_TIMEOUT_MS} in browserTracingIntegration, and end no pageload or navigation by hand.`,
  judge: (given) => {
    const cut = cutTraces(given)
    const all = pageSegments(given.evidence).filter(
      ({ segment, children }) =>
        (segment.op === 'navigation' || children.some((child) => !isWebVital(child))) &&
        segment.attributes['sentry.idle_span_finish_reason'] !== 'reportPageLoaded',
    )
    const pages = all.filter(({ segment }) => !cut.has(segment.traceId))
    const findings = pages.flatMap((page) => [...endsTooLate(page), ...outlived(page), ...waited(page)])
    const nothing = 'No navigation was recorded, and no pageload with a child span.'
    return verdictOf(pages.length, findings, orCut(nothing, all.length - pages.length))
  },
}

function endsTooLate({ segment, children }: PageSegment): readonly Finding[] {
  if (segment.attributes['sentry.idle_span_discarded_spans'] !== undefined) return []
  // Of more the last ones are not sent.
  if (segment.lifecycle === 'static' && children.length >= RECORDED_SPANS) return []
  if (children.every(isWebVital)) return lastedAlone(segment)
  let last: SeenSpan | undefined
  for (const child of children) {
    if (child.endUs > segment.endUs + ROUNDING_US) continue
    if (last === undefined || child.endUs > last.endUs) last = child
  }
  if (last === undefined || segment.endUs - last.endUs <= ROUNDING_US) return []
  const actual = `it ended ${toldDuration(segment.endUs - last.endUs)} after its last child, ${spanWords(last)}`
  return [{ about: spanWords(segment), at: atSegment(segment), path: endPath(segment), actual, expected: WANTED }]
}

function lastedAlone(segment: SeenSegment): readonly Finding[] {
  const lasted = segment.endUs - segment.startUs
  if (lasted <= LATEST_US) return []
  const actual = `it lasted ${toldDuration(lasted)} in which nothing was open`
  return [{ about: spanWords(segment), at: atSegment(segment), path: endPath(segment), actual, expected: WANTED }]
}

/** What it waits for is ended with it, where it has to end first. */
const outlived = ({ segment, children }: PageSegment): readonly Finding[] =>
  children
    .filter((child) => child.startUs <= segment.endUs && child.endUs > segment.endUs + ROUNDING_US && isHeldOpen(child))
    .map((child) => ({
      about: `${spanWords(child)} of ${spanWords(segment)}`,
      at: atSpan(child),
      path: endPath(segment),
      actual: `it ended ${toldDuration(child.endUs - segment.endUs)} after its ${segment.op}`,
      expected: WANTED,
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
      const actual = `${toldDuration(idle)} in which nothing was open, before ${spanWords(child)}`
      return [{ about: spanWords(segment), at: atSpan(child), path: 'start_timestamp', actual, expected: WANTED }]
    }
    openUntil = Math.max(openUntil, child.endUs)
  }
  return []
}
