import { usFromTimestamp } from '../../protocol/json'
import { isAlwaysOutsideParent } from '../../protocol/trace/span-tree'
import type { SeenSpan } from '../evidence/evidence'
import { type Finding, type FoundAt, verdictOf } from '../verdict'
import { atEvent, atSegment, atSpan, spanWords } from './describe'
import { endPath } from './group-spans'
import type { Rule } from './rule'

/** Two programs of one machine read one clock; a browser follows it within a few ms. */
const APART_US = 100_000
/** Nothing is recorded before it happened: so much a clock may be ahead of ours. */
const AHEAD_MS = 5_000
/** An SDK that was offline, or the tunnel's lifeboat, brings what is old; what is older than this is no such thing in a run. */
const BEHIND_MS = 3_600_000

/**
 * Judged from three things, each of which only a clock that is wrong explains.
 *
 * - A span of another service than its parent's begins before its parent, or, where it answers an HTTP call (`http.server`
 *   below `http.client`), after that call had ended. A child may end later: a server goes on after its answer. The parent
 *   of a pageload is left out, for the page begins before the server is asked, and may come from a cache.
 * - A segment or event ends after it was received, by more than 5 s.
 * - An envelope was sent, as it says, more than an hour before it was received, or more than 5 s after.
 */
export const clockSkewRule: Rule = {
  id: 'clock-skew',
  title: 'Clocks agree',
  why: 'Where two clocks disagree, a trace shows the answer before the question, and durations across it mean nothing.',
  setting: null,
  judgedFrom: ['telemetry', 'transport'],
  severity: 'warning',
  fix: 'Set the clock of the machine that is named, and look whether a container or a sleeping laptop has its own.',
  judge: ({ evidence }) => {
    const findings: Finding[] = []
    let judged = 0
    for (const { copy, header, receivedAt, seq } of evidence.envelopes) {
      const sentUs = copy ? null : usFromTimestamp(header.sent_at)
      if (sentUs === null) continue
      judged += 1
      const finding = againstOurs(`the header of envelope ${seq}`, 'header.sent_at', sentUs, receivedAt, {
        seq,
        item: -1,
      })
      if (finding !== null) findings.push(finding)
    }
    const tell = (about: string, path: string, endUs: number, receivedAt: number, at: FoundAt): void => {
      judged += 1
      const ahead = endUs / 1000 - receivedAt
      if (ahead > AHEAD_MS) findings.push({ about, at, path, ...aheadOf(ahead) })
    }
    for (const event of evidence.events) {
      if (event.copy) continue
      tell(event.title, 'timestamp', event.timestampUs, event.receivedAt, atEvent(event))
    }
    for (const segment of evidence.segments) {
      if (segment.copy) continue
      tell(spanWords(segment), endPath(segment), segment.endUs, segment.receivedAt, atSegment(segment))
    }
    findings.push(...betweenServices(evidence.spans))
    return verdictOf(judged, findings, 'Nothing with a time of its sender was recorded.')
  },
}

function againstOurs(about: string, path: string, us: number, receivedAt: number, at: FoundAt): Finding | null {
  const ahead = us / 1000 - receivedAt
  if (ahead > AHEAD_MS) return { about, at, path, ...aheadOf(ahead) }
  if (-ahead <= BEHIND_MS) return null
  return {
    about,
    at,
    path,
    actual: `${seconds(-ahead)} before it was received`,
    expected: `within ${seconds(BEHIND_MS)} before it was received`,
  }
}

const aheadOf = (ms: number): Pick<Finding, 'actual' | 'expected'> => ({
  actual: `${seconds(ms)} after it was received`,
  expected: `${seconds(AHEAD_MS)} after it was received at most`,
})

const seconds = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : ms < 120_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`

function betweenServices(spans: readonly SeenSpan[]): readonly Finding[] {
  // Segments alone have a parent of another sender.
  const children = spans.filter(
    (span) => !span.copy && span.isSegment && span.parentSpanId !== null && !isAlwaysOutsideParent(span),
  )
  if (children.length === 0) return []
  const wanted = new Set(children.map(({ traceId, parentSpanId }) => `${traceId} ${parentSpanId}`))
  const parentIds = new Set(children.map(({ parentSpanId }) => parentSpanId))
  const parents = new Map<string, SeenSpan>()
  for (const span of spans) {
    if (span.copy || !parentIds.has(span.spanId)) continue
    const key = `${span.traceId} ${span.spanId}`
    if (wanted.has(key)) parents.set(key, span)
  }
  return children.flatMap((child) => {
    const parent = parents.get(`${child.traceId} ${child.parentSpanId}`)
    return parent === undefined || parent.service === child.service ? [] : outside(child, parent)
  })
}

function outside(child: SeenSpan, parent: SeenSpan): readonly Finding[] {
  const early = parent.startUs - child.startUs
  const late = child.op === 'http.server' && parent.op === 'http.client' ? child.startUs - parent.endUs : 0
  if (Math.max(early, late) <= APART_US) return []
  return [
    {
      about: `${spanWords(child)} of ${child.service}, below ${spanWords(parent)} of ${parent.service}`,
      at: atSpan(child),
      path: 'start_timestamp',
      actual:
        early > late
          ? `${seconds(early / 1000)} before its parent began`
          : `${seconds(late / 1000)} after its parent ended`,
      expected: `a begin within its parent, give or take ${APART_US / 1000} ms`,
    },
  ]
}
