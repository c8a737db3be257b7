import { plural } from '../../format'
import { usFromTimestamp } from '../../protocol/timestamp'
import { isAlwaysOutsideParent, isUndated } from '../../protocol/trace/span-tree'
import type { Evidence, SeenSpan } from '../evidence/evidence'
import { durationText, truncate } from '../text'
import { type Finding, type FoundAt, verdictOf } from '../verdict'
import { atEvent, atSegment, atSpan, isOfInstrumentation, spanLabel } from './describe'
import { pathIn } from './group-spans'
import type { Rule } from './rule'

/** Programs on one machine share a clock. A busy machine runs timers late, and browsers round and drift. */
const APART_US = 1_000_000
/** A sender's clock may be ahead of the collector's by this much. */
const AHEAD_MS = 5_000
/** The tunnel's lifeboat says how long it kept an envelope, and SDKs renew `sent_at` of what they send later. */
const BEHIND_MS = 600_000
/** Smaller differences only warn: no scheduler explains more, and the SDKs correct what exceeds 5 minutes. */
const SERIOUS_US = 600_000_000

/**
 * Checks four things that only a wrong clock explains:
 * - A span begins before its parent of another service, or an `http.server` span begins after its `http.client` parent
 *   ended. It may end later, because a server may work on after its answer. A pageload's parent is not compared: the page
 *   begins before the server is called, and may come from a cache.
 * - A segment or event ends more than 5 s after it was received.
 * - An envelope's `sent_at` is more than 10 min before, or more than 5 s after, its arrival.
 * - A span of the application starts in 1970: its times count from something else. Next sends such spans, which count as
 *   undated. This and other differences below 10 min only warn.
 */
export const clockSkewRule: Rule = {
  id: 'clock-skew',
  title: 'Clocks agree',
  why: 'If clocks differ, a trace shows answers before requests, and durations across services are wrong.',
  setting: null,
  judgedFrom: ['telemetry', 'transport'],
  severity: 'error',
  fix: 'Set the clock of the named machine. Containers and laptops after sleep may have a clock of their own. The start of a span in 1970 is not a time since the epoch.',
  judge: ({ evidence }) => {
    const findings: Finding[] = []
    let judged = 0
    const machines = machinesOf(evidence)
    const machineText = (seq: number): string => (machines.has(seq) ? ` of ${machines.get(seq)}` : '')
    for (const { copy, header, receivedAt, keptMs = 0, seq } of evidence.envelopes) {
      const sentUs = copy ? null : usFromTimestamp(header.sent_at)
      if (sentUs === null) continue
      judged += 1
      const finding = againstOurs(
        `the header of envelope ${seq}${machineText(seq)}`,
        'header.sent_at',
        sentUs,
        receivedAt - keptMs,
        {
          seq,
          item: -1,
        },
      )
      if (finding !== null) findings.push(finding)
    }
    const check = (about: string, path: string, endUs: number, receivedAt: number, at: FoundAt): void => {
      judged += 1
      const ahead = endUs / 1000 - receivedAt
      if (ahead > AHEAD_MS) findings.push({ about: `${about}${machineText(at.seq)}`, at, path, ...aheadOf(ahead) })
    }
    for (const event of evidence.events) {
      if (event.copy) continue
      check(event.title, 'timestamp', event.timestampUs, event.receivedAt, atEvent(event))
    }
    for (const segment of evidence.segments) {
      if (segment.copy) continue
      check(spanLabel(segment), pathIn(segment, 'end'), segment.endUs, segment.receivedAt, atSegment(segment))
    }
    const dated = evidence.spans.filter((span) => !isUndated(span))
    findings.push(...betweenServices(dated), ...undatedSpans(evidence.spans))
    findings.sort((one, other) => Number(one.isMinor ?? false) - Number(other.isMinor ?? false))
    return verdictOf(judged, findings, 'Nothing with a sender’s timestamp was recorded.')
  },
}

/** The sender of each envelope: service and host, if its items name them. */
function machinesOf({ spans, events }: Evidence): ReadonlyMap<number, string> {
  const machines = new Map<number, string>()
  for (const { seq, service } of [...spans, ...events]) machines.set(seq, service)
  const hosts = [
    ...spans.map(({ seq, service, otel, attributes }) => {
      const host = otel?.resource.attributes['host.name'] ?? attributes['server.name']
      return { seq, service, host }
    }),
    ...events.map(({ seq, service, payload }) => ({ seq, service, host: payload.server_name })),
  ]
  for (const { seq, service, host } of hosts)
    if (typeof host === 'string' && host !== '') machines.set(seq, `${service} on ${truncate(host, 60)}`)
  return machines
}

function againstOurs(about: string, path: string, us: number, receivedAt: number, at: FoundAt): Finding | null {
  const ahead = us / 1000 - receivedAt
  if (ahead > AHEAD_MS) return { about, at, path, ...aheadOf(ahead) }
  if (-ahead <= BEHIND_MS) return null
  return {
    about,
    at,
    path,
    actual: `${durationText(-ahead * 1000)} before it was received`,
    expected: `at most ${durationText(BEHIND_MS * 1000)} before it was received`,
  }
}

const aheadOf = (ms: number): Pick<Finding, 'actual' | 'expected' | 'isMinor'> => ({
  ...minorBelow(ms * 1000),
  actual: `${durationText(ms * 1000)} after it was received`,
  expected: `at most ${durationText(AHEAD_MS * 1000)} after it was received`,
})

const minorBelow = (us: number): { readonly isMinor?: true } => (us < SERIOUS_US ? { isMinor: true } : {})

/** One finding per name. Nobody can change those of an instrumentation. */
function undatedSpans(spans: readonly SeenSpan[]): readonly Finding[] {
  const named = new Map<string, { readonly first: SeenSpan; count: number }>()
  for (const span of spans) {
    if (span.copy || !isUndated(span) || isOfInstrumentation(span)) continue
    const key = `${span.service} ${spanLabel(span)}`
    const known = named.get(key)
    if (known === undefined) named.set(key, { first: span, count: 1 })
    else known.count += 1
  }
  return [...named.values()].map(({ first, count }) => ({
    about: `${spanLabel(first)} of ${first.service}`,
    at: atSpan(first),
    path: 'start_timestamp',
    actual: `${new Date(first.startUs / 1000).toISOString()}${count > 1 ? `, and ${plural(count - 1, 'more span')} of that name` : ''}`,
    expected: 'a time since the epoch: no axis and no duration of a trace includes this one',
    isMinor: true,
  }))
}

function betweenServices(spans: readonly SeenSpan[]): readonly Finding[] {
  // Only segments can have a parent of another sender.
  const children = spans.filter(
    (span) => !span.copy && span.isSegment && span.parentSpanId !== null && !isAlwaysOutsideParent(span),
  )
  if (children.length === 0) return []
  const parentKeys = new Set(children.map(({ traceId, parentSpanId }) => `${traceId} ${parentSpanId}`))
  const parentIds = new Set(children.map(({ parentSpanId }) => parentSpanId))
  const parents = new Map<string, SeenSpan>()
  for (const span of spans) {
    if (span.copy || !parentIds.has(span.spanId)) continue
    const key = `${span.traceId} ${span.spanId}`
    if (parentKeys.has(key)) parents.set(key, span)
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
      about: `${spanLabel(child)} of ${child.service}, below ${spanLabel(parent)} of ${parent.service}`,
      at: atSpan(child),
      path: 'start_timestamp',
      actual:
        early > late
          ? `${durationText(early)} before its parent began`
          : `${durationText(late)} after its parent ended`,
      expected: `a start within its parent, ± ${durationText(APART_US)}`,
      ...minorBelow(Math.max(early, late)),
    },
  ]
}
