import { isObject, type JsonObject, listOf, number, text } from '../../lib/protocol/json-value'

/** A span of a trace file. */
export interface FileSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly service: string
  readonly op: string | null
  readonly name: string
  readonly status: string | null
  readonly startUs: number
  readonly endUs: number
  readonly attributes: JsonObject
}

interface FoundSpans {
  readonly format: string
  readonly spans: readonly FileSpan[]
  /** Spans without an id, a trace id or a start. */
  readonly invalid: number
  /** The name of the trace, where the file has one. */
  readonly title: string | null
}

/** Characters of ids and names. */
const LONGEST_ID = 64
const LONGEST_NAME = 2000

/** Reads the spans of JSON values in one of three formats; `null` for another one. */
export function spansOfJson(values: readonly unknown[]): FoundSpans | null {
  const objects = values.filter(isObject)
  const requests = objects.filter(({ resourceSpans }) => Array.isArray(resourceSpans))
  if (requests.length > 0) return foundIn('OTLP JSON', requests.flatMap(otlpSpans))
  const [first] = objects
  if (objects.length !== 1 || first === undefined) return null
  const traces = Array.isArray(first.data)
    ? first.data.filter(isObject).filter(({ spans }) => Array.isArray(spans))
    : []
  if (traces.length > 0) return foundIn('JSON of Jaeger', traces.flatMap(jaegerSpans))
  const { summary, spans } = first
  if (!isObject(summary) || !Array.isArray(spans)) return null
  return foundIn(
    'JSON of Waystation',
    listOf(spans).map((span) => ownSpan(span, summary)),
    text(summary.name),
  )
}

function foundIn(format: string, read: readonly (FileSpan | null)[], title: string | null = null): FoundSpans {
  const spans = read.filter((span) => span !== null)
  return { format, spans, invalid: read.length - spans.length, title }
}

interface GivenSpan {
  readonly ids: readonly [trace: unknown, span: unknown, parent: unknown]
  readonly service: unknown
  readonly op: string | null
  readonly name: unknown
  readonly status: string | null
  readonly startUs: number | null
  readonly endUs: number | null
  readonly attributes: JsonObject
}

function spanOf({ ids, service, name, startUs, endUs, ...rest }: GivenSpan): FileSpan | null {
  const [traceId, spanId, parentSpanId] = ids.map((id) => text(id)?.slice(0, LONGEST_ID).toLowerCase() ?? null)
  if (traceId == null || spanId == null || startUs === null) return null
  return {
    ...{ traceId, spanId, parentSpanId: parentSpanId ?? null, startUs, endUs: Math.max(startUs, endUs ?? startUs) },
    service: text(service)?.slice(0, LONGEST_NAME) ?? 'unknown',
    name: text(name)?.slice(0, LONGEST_NAME) ?? '(unnamed)',
    ...rest,
  }
}

/** A span of the collector's answer about a trace. */
const ownSpan = (span: JsonObject, { traceId }: JsonObject): FileSpan | null =>
  spanOf({
    ids: [traceId, span.spanId, span.parentSpanId],
    ...{ service: span.service, name: span.name, op: text(span.op), status: text(span.status) },
    ...{ startUs: number(span.startUs), endUs: number(span.endUs) },
    attributes: isObject(span.attributes) ? span.attributes : {},
  })

function otlpSpans(request: JsonObject): readonly (FileSpan | null)[] {
  return listOf(request.resourceSpans).flatMap((entry) => {
    const resource = otlpAttributes(isObject(entry.resource) ? entry.resource.attributes : [])
    return listOf(entry.scopeSpans ?? entry.instrumentationLibrarySpans).flatMap((scope) =>
      listOf(scope.spans).map((span) => {
        const attributes = otlpAttributes(span.attributes)
        const code = isObject(span.status) ? text(span.status.code) : null
        return spanOf({
          ids: [span.traceId, span.spanId, span.parentSpanId],
          ...{ service: resource['service.name'], name: span.name, op: opOf(attributes, kindOf(span.kind)) },
          status: /^2$|ERROR/.test(code ?? '') ? 'error' : /^1$|OK/.test(code ?? '') ? 'ok' : null,
          ...{ startUs: usOf(span.startTimeUnixNano), endUs: usOf(span.endTimeUnixNano) },
          attributes,
        })
      }),
    )
  })
}

/** Nanoseconds as a number or as the text of one. */
function usOf(nanos: unknown): number | null {
  if (typeof nanos === 'string') return /^\d{1,20}$/.test(nanos) ? Number(BigInt(nanos) / 1000n) : null
  const value = number(nanos)
  return value === null ? null : Math.floor(value / 1000)
}

const otlpAttributes = (entries: unknown): JsonObject =>
  Object.fromEntries(listOf(entries).map(({ key, value }) => [text(key) ?? '', otlpValue(value)]))

/** Depth is bounded, because deeper JSON is refused. */
function otlpValue(value: unknown): unknown {
  if (!isObject(value)) return null
  const { arrayValue, kvlistValue, intValue } = value
  if (isObject(arrayValue)) return listOf(arrayValue.values).map(otlpValue)
  if (isObject(kvlistValue)) return otlpAttributes(kvlistValue.values)
  if (typeof intValue === 'string') return Number.isSafeInteger(Number(intValue)) ? Number(intValue) : intValue
  return Object.values(value)[0] ?? null
}

function jaegerSpans({ spans, processes }: JsonObject): readonly (FileSpan | null)[] {
  const services = isObject(processes) ? processes : {}
  return listOf(spans).map((span) => {
    const attributes = tagsOf(span.tags)
    const process = services[text(span.processID) ?? '']
    const references = listOf(span.references)
    const parent = references.find(({ refType }) => refType === 'CHILD_OF') ?? references[0]
    const [startUs, durationUs] = [number(span.startTime), number(span.duration) ?? 0]
    const isFailed = attributes.error === true || attributes.error === 'true'
    return spanOf({
      ids: [span.traceID, span.spanID, parent?.spanID],
      ...{ service: isObject(process) ? process.serviceName : null, name: span.operationName },
      op: opOf(attributes, text(attributes['span.kind'])),
      status: isFailed ? 'error' : (text(attributes['otel.status_code'])?.toLowerCase() ?? null),
      ...{ startUs, endUs: startUs === null ? null : startUs + durationUs, attributes },
    })
  })
}

const tagsOf = (tags: unknown): JsonObject =>
  Object.fromEntries(listOf(tags).map(({ key, value }) => [text(key) ?? '', value]))

/** `client` of `3` or `SPAN_KIND_CLIENT`. */
const kindOf = (kind: unknown): string | null =>
  ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'][Number(kind)] ??
  text(kind)?.replace('SPAN_KIND_', '').toLowerCase() ??
  null

/** The first attributes that a span has name its operation. */
const OPS: readonly (readonly [RegExp, string])[] = [
  [/^gen_ai\.(?:operation\.name|provider\.name|system)$/, 'gen_ai'],
  [/^db\.system(?:\.name)?$/, 'db'],
  [/^messaging\.system$/, 'queue'],
  [/^http\.(?:request\.)?method$/, 'http'],
  [/^rpc\.system(?:\.name)?$/, 'rpc'],
]

function opOf(attributes: JsonObject, kind: string | null): string | null {
  const own = text(attributes['sentry.op'])
  if (own !== null) return own
  const keys = Object.keys(attributes)
  const op = OPS.find(([name]) => keys.some((key) => name.test(key)))?.[1] ?? null
  return op === 'http' && (kind === 'client' || kind === 'server') ? `http.${kind}` : op
}
