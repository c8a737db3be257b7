import { RECORDED_SPANS } from '../../contract/values'
import type { SeenSpan } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { javaScriptSender } from './coverage'
import { spanWords } from './describe'
import type { Rule } from './rule'

/**
 * Judged from each transaction, whose own span does not count among its children, and from each container of streamed
 * spans, of an SDK of the JavaScript family. SDK 7 drops what is beyond without a word; 11 says `buffer_overflow` in a
 * client report in the static lifecycle, and in the streamed one sends another container. A transaction with exactly as
 * many as there may be is told from one that lost some by that report alone, so it passes.
 */
export const spanRecorderRule: Rule = {
  id: 'span-recorder',
  title: 'A transaction or container has at most a thousand spans',
  why: 'A loop that makes spans would otherwise grow until its envelope is too large to be taken, and all of it is lost.',
  setting: 'span-recorder',
  judgedFrom: ['telemetry'],
  sentBy: 'JavaScript SDKs',
  severity: 'error',
  fix: 'Use the SDK’s own transport and span buffer: its limit is a constant; spans that are sent past them have none.',
  judge: ({ evidence }) => {
    const isJavaScript = javaScriptSender(evidence)
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
        about: segment === null ? 'a container of spans' : spanWords(segment),
        at: { seq, item, traceId, ...(segment !== null && { spanId: segment.spanId }) },
        path: isTransaction ? 'spans' : 'items',
        actual: isTransaction ? `${count} child spans` : `${count} spans`,
        expected: `at most ${RECORDED_SPANS}`,
      })
    }
    const nothing = 'No transaction and no container of spans of an SDK of the JavaScript family was recorded.'
    return verdictOf(judged, findings, nothing)
  },
}

function sdkOf({ attributes }: SeenSpan): string | null {
  const name = attributes['sentry.sdk.name']
  return typeof name === 'string' ? name : null
}
