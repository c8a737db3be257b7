import { formatCount } from '../../format'
import { text } from '../../protocol/json-value'
import type { SeenSpan } from '../evidence/evidence'
import { atSpan, spanLabel } from '../rules/describe'
import { type Finding, type Verdict, verdictOf } from '../verdict'
import { findingOf, notJudged, type ScoreContext, type ScoreRule } from './score-rule'
import type { ServiceTelemetry } from './services'

const NO_SPAN = 'No span was recorded.'

const MOST_INTERNAL = 10
const MOST_SHORT = 20
const SHORT_US = 5000

/** Operations of Sentry by the kind of OpenTelemetry that they correspond to; all others are internal. */
const KINDS_OF_OPS: readonly (readonly [RegExp, string])[] = [
  [/^http\.server(?:\.|$)|^mcp\.server$|^websocket\.server$/, 'server'],
  [/^(?:http\.client|db|cache|resource|rpc|grpc|object)(?:\.|$)/, 'client'],
  [/^queue\.(?:publish|create|submit)(?:\.|$)/, 'producer'],
  [/^queue\.(?:process|receive|task)(?:\.|$)/, 'consumer'],
]

/** The kind of a span: `sentry.kind` or the operation where it is not from OpenTelemetry. */
export function kindOf({ otel, attributes, op }: Pick<SeenSpan, 'otel' | 'attributes' | 'op'>): string {
  if (otel !== undefined) return otel.kind === 'unspecified' ? 'internal' : otel.kind
  const sent = text(attributes['sentry.kind'])?.toLowerCase()
  return sent ?? KINDS_OF_OPS.find(([ops]) => ops.test(op ?? ''))?.[1] ?? 'internal'
}

function byTrace(spans: readonly SeenSpan[]): ReadonlyMap<string, readonly SeenSpan[]> {
  const traces = new Map<string, SeenSpan[]>()
  for (const span of spans) {
    const known = traces.get(span.traceId)
    if (known === undefined) traces.set(span.traceId, [span])
    else known.push(span)
  }
  return traces
}

/** Judges the number of certain spans of the service in each trace. A span that was sent twice counts once. */
function limitPerTrace(
  { spans }: ServiceTelemetry,
  {
    what,
    most,
    counts,
  }: { readonly what: string; readonly most: number; readonly counts: (span: SeenSpan) => boolean },
): Verdict {
  const traces = byTrace(spans)
  const findings: Finding[] = []
  for (const [traceId, all] of traces) {
    const found = new Map(all.filter(counts).map((span) => [span.spanId, span]))
    const [first] = found.values()
    if (first === undefined || found.size <= most) continue
    findings.push(findingOf(`trace ${traceId}`, atSpan(first), `${formatCount(found.size)} ${what}`, `at most ${most}`))
  }
  return verdictOf(traces.size, findings, NO_SPAN)
}

function unknownParents({ spans }: ServiceTelemetry, { traces, cutTraces }: ScoreContext): Verdict {
  const whole = spans.filter(({ traceId }) => !cutTraces.has(traceId))
  const findings = whole.flatMap((span) => {
    const { traceId, parentSpanId } = span
    if (parentSpanId === null || traces.get(traceId)?.has(parentSpanId) === true) return []
    return [
      findingOf(
        spanLabel(span),
        atSpan(span),
        `parent ${parentSpanId} was not recorded`,
        'a span of the trace',
        'parentSpanId',
      ),
    ]
  })
  return verdictOf(
    whole.length,
    findings,
    spans.length === 0 ? NO_SPAN : 'Parts of each trace may be missing in this record.',
  )
}

function rootClients({ spans }: ServiceTelemetry): Verdict {
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === null)
  const findings = roots
    .filter((root) => kindOf(root) === 'client')
    .map((root) =>
      findingOf(spanLabel(root), atSpan(root), 'a root span of kind CLIENT', 'a parent, or another kind', 'kind'),
    )
  return verdictOf(roots.length, findings, spans.length === 0 ? NO_SPAN : 'No root span was recorded.')
}

export const SPAN_RULES: readonly ScoreRule[] = [
  {
    id: 'SPA-001',
    title: `At most ${MOST_INTERNAL} INTERNAL spans per service in a trace`,
    impact: 'normal',
    judge: (service) =>
      limitPerTrace(service, {
        what: 'INTERNAL spans',
        most: MOST_INTERNAL,
        counts: (span) => kindOf(span) === 'internal',
      }),
  },
  {
    id: 'SPA-002',
    title: 'Each parent exists in its trace',
    impact: 'normal',
    judge: unknownParents,
  },
  {
    id: 'SPA-003',
    title: 'Span names have a bounded cardinality',
    impact: 'important',
    judge: () => notJudged('The specification names no limit.'),
  },
  {
    id: 'SPA-004',
    title: 'A root span is not of kind CLIENT',
    impact: 'important',
    judge: rootClients,
  },
  {
    id: 'SPA-005',
    title: `At most ${MOST_SHORT} spans shorter than ${SHORT_US / 1000} ms in a trace`,
    impact: 'important',
    judge: (service) =>
      limitPerTrace(service, {
        what: `spans shorter than ${SHORT_US / 1000} ms`,
        most: MOST_SHORT,
        counts: ({ startUs, endUs }) => endUs - startUs < SHORT_US,
      }),
  },
]
