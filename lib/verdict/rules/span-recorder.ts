import { RECORDED_SPANS } from '../../contract/values'
import type { Evidence, SeenSpan } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { fromJavaScriptSdk } from './coverage'
import { atSpan, spanLabel } from './describe'
import { spansByTrace } from './group-spans'
import type { Rule } from './rule'

/**
 * Counts the child spans of each transaction and the spans of each container from JavaScript SDKs. Above the limit SDK 7
 * drops spans silently; SDK 11 reports `buffer_overflow` (static lifecycle) or sends another container (streamed). A
 * transaction at the limit passes, because only that report shows whether spans were dropped. Spans that a browser records
 * with OpenTelemetry are counted per trace; their resource states the dropped ones.
 */
export const spanRecorderRule: Rule = {
  id: 'span-recorder',
  title: 'A transaction or container has at most 1000 spans',
  why: 'Otherwise a loop that creates spans makes the envelope too large, and all of it is lost.',
  setting: 'span-recorder',
  judgedFrom: ['telemetry'],
  sentBy: 'JavaScript SDKs',
  severity: 'warning',
  contractSeverity: 'error',
  fix: 'Use the SDK’s own transport and span buffer, which have this limit built in. Spans sent around them have no limit.',
  judge: ({ evidence }) => {
    const isJavaScript = fromJavaScriptSdk(evidence)
    const types = new Map(evidence.items.map(({ seq, item, type }) => [`${seq} ${item}`, type]))
    const counts = new Map<string, { readonly first: SeenSpan; spans: number; segment: SeenSpan | null }>()
    for (const span of evidence.spans) {
      if (span.copy) continue
      const key = `${span.seq} ${span.item}`
      const known = counts.get(key) ?? { first: span, spans: 0, segment: null }
      known.spans += 1
      if (span.isSegment) known.segment = span
      counts.set(key, known)
    }
    const findings: Finding[] = []
    let judged = 0
    for (const [key, { first, spans, segment }] of counts) {
      if (!isJavaScript({ seq: first.seq, sdk: sdkOf(first) })) continue
      judged += 1
      const isTransaction = types.get(key) === 'transaction'
      const count = isTransaction ? spans - 1 : spans
      if (count <= RECORDED_SPANS) continue
      const { seq, item, traceId } = first
      findings.push({
        about: segment === null ? 'span container' : spanLabel(segment),
        at: { seq, item, traceId, ...(segment !== null && { spanId: segment.spanId }) },
        path: isTransaction ? 'spans' : 'items',
        actual: isTransaction ? `${count} child spans` : `${count} spans`,
        expected: `at most ${RECORDED_SPANS}`,
      })
    }
    const ofBrowsers = openTelemetryOfBrowsers(evidence)
    for (const spans of ofBrowsers) findings.push(...tooMany(spans))
    const nothing = 'No transaction or span container of a JavaScript SDK was recorded.'
    return verdictOf(judged + ofBrowsers.length, findings, nothing)
  },
}

/** Spans by trace. One span may arrive twice. */
function openTelemetryOfBrowsers(evidence: Evidence): readonly (readonly SeenSpan[])[] {
  return spansByTrace(evidence)
    .map((spans) => spans.filter(({ otel }) => otel?.resource.attributes['telemetry.sdk.language'] === 'webjs'))
    .filter(({ length }) => length > 0)
}

function tooMany(spans: readonly SeenSpan[]): readonly Finding[] {
  const count = new Set(spans.map(({ spanId }) => spanId)).size
  const [first] = spans
  if (count <= RECORDED_SPANS || first === undefined) return []
  return [
    {
      about: 'OpenTelemetry spans of one trace',
      at: atSpan(first),
      path: 'resourceSpans',
      actual: `${count} spans`,
      expected: `at most ${RECORDED_SPANS}`,
    },
  ]
}

function sdkOf({ attributes }: SeenSpan): string | null {
  const name = attributes['sentry.sdk.name']
  return typeof name === 'string' ? name : null
}
