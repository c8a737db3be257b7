import { type AttributeType, nearestName, registeredAttribute } from '../../otlp/registered-attributes'
import { isObject, type JsonObject } from '../../protocol/json-value'
import type { Evidence, SeenSignal, SeenSpan } from '../evidence/evidence'
import type { FoundAt } from '../verdict'
import { atSpan, isOfInstrumentation } from './describe'

/** The part of telemetry that carries an attribute. A resource describes the program that sent it. */
type AttributeLevel = 'resource' | 'span' | 'span event' | 'log' | 'metric'

export interface SeenAttributes {
  readonly level: AttributeLevel
  readonly service: string
  readonly attributes: JsonObject
  readonly at: FoundAt
  /** Sentry's format has no resources, so everything stands on its spans and logs. */
  readonly format: 'Sentry' | 'OpenTelemetry'
  /** An SDK, a framework or an instrumentation made the span: an application cannot change its attributes. */
  readonly isOfSdk: boolean
}

const atSignal = ({ seq, item, traceId, spanId }: SeenSignal): FoundAt => ({ seq, item, traceId, spanId })

/** The resource of an OpenTelemetry log or metric; `null` for Sentry's. */
function resourceOfSignal({ fields }: SeenSignal): JsonObject | null {
  const resource = isObject(fields.resource) ? fields.resource : null
  return resource !== null && isObject(resource.attributes) ? resource.attributes : null
}

/** All attributes of spans, their events, logs, metrics and resources. Each resource of a request is visited once. */
export function* attributesIn(evidence: Pick<Evidence, 'spans' | 'signals'>): Generator<SeenAttributes> {
  const visited = new Set<JsonObject>()
  for (const span of evidence.spans) if (!span.copy) yield* attributesOfSpan(span, visited)
  for (const signal of evidence.signals)
    if (!signal.copy && (signal.kind === 'log' || signal.kind === 'metric')) yield* attributesOfSignal(signal, visited)
}

function* attributesOfSpan(span: SeenSpan, visited: Set<JsonObject>): Generator<SeenAttributes> {
  const { service, attributes, otel } = span
  const at = atSpan(span)
  const format = otel === undefined ? 'Sentry' : 'OpenTelemetry'
  const isOfSdk = isOfInstrumentation(span)
  yield { level: 'span', service, attributes, at, format, isOfSdk }
  if (otel === undefined) return
  for (const event of otel.events)
    yield { level: 'span event', service, attributes: event.attributes, at, format, isOfSdk }
  if (isFirst(otel.resource.attributes, visited))
    yield { level: 'resource', service, attributes: otel.resource.attributes, at, format, isOfSdk }
}

function* attributesOfSignal(signal: SeenSignal, visited: Set<JsonObject>): Generator<SeenAttributes> {
  const resource = resourceOfSignal(signal)
  const level = signal.kind === 'log' ? 'log' : 'metric'
  const from = {
    service: signal.service ?? 'unknown service',
    at: atSignal(signal),
    format: resource === null ? 'Sentry' : 'OpenTelemetry',
    isOfSdk: false,
  } as const
  if (isObject(signal.fields.attributes)) yield { ...from, level, attributes: signal.fields.attributes }
  if (resource !== null && isFirst(resource, visited)) yield { ...from, level: 'resource', attributes: resource }
}

function isFirst(resource: JsonObject, visited: Set<JsonObject>): boolean {
  const isNew = !visited.has(resource)
  visited.add(resource)
  return isNew
}

export interface AttributeFault {
  readonly kind: 'deprecated' | 'type' | 'level' | 'spelling'
  readonly actual: string
  readonly expected: string
}

/**
 * Compares an attribute with the semantic conventions. A name without a dot is a word of the application.
 * @param nearest finds the registered name that a typing error may have missed
 */
export function faultsOfAttribute(
  name: string,
  value: unknown,
  seen: SeenAttributes,
  nearest: NearestName,
): readonly AttributeFault[] {
  if (value === null || value === undefined || !name.includes('.') || isSetBySdk(name, seen)) return []
  const registered = registeredAttribute(name)
  if (registered === null) return spellingFaults(nearest(name))
  if (seen.isOfSdk) return []
  const { type, isDeprecated, replacement } = registered
  if (isDeprecated)
    return [
      { kind: 'deprecated', actual: 'deprecated', expected: replacement ?? 'no attribute: it has no replacement' },
    ]
  const misplaced = levelFault(name, seen)
  if (misplaced !== null) return [misplaced]
  if (type === null || hasType(value, type)) return []
  return [{ kind: 'type', actual: typeOf(value), expected: type }]
}

/** Sentry's profiler sets `thread.id` on every span, as text; the traversal adds measurements to a transaction. */
const isSetBySdk = (name: string, { format }: SeenAttributes): boolean =>
  /^(?:sentry|waystation)\./.test(name) || (format === 'Sentry' && /^(?:measurements|thread)\./.test(name))

type NearestName = (name: string) => string | null

/** A search compares a name with all registered ones, and each span has the same names. */
export function rememberNearest(): NearestName {
  const found = new Map<string, string | null>()
  return (name) => {
    const known = found.get(name)
    if (known !== undefined) return known
    const nearest = nearestName(name)
    found.set(name, nearest)
    return nearest
  }
}

function spellingFaults(nearest: string | null): readonly AttributeFault[] {
  return nearest === null ? [] : [{ kind: 'spelling', actual: 'not a registered name', expected: nearest }]
}

/** A resource attribute on a span, or the reverse. Only OpenTelemetry has both levels. */
function levelFault(name: string, { level, format }: SeenAttributes): AttributeFault | null {
  const belongs = format === 'Sentry' ? null : (registeredAttribute(name)?.level ?? null)
  if (belongs === null || (belongs === 'resource') === (level === 'resource')) return null
  return {
    kind: 'level',
    actual: `on a ${level}`,
    expected: belongs === 'resource' ? 'on the resource' : 'on a span, a log or a metric',
  }
}

const CHECKS: Readonly<Record<AttributeType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  'string[]': (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  // An integer above 2^53 is read as its digits.
  integer: (value) => Number.isInteger(value) || (typeof value === 'string' && /^-?\d{16,}$/.test(value)),
  // JSON has no NaN: it is read as text.
  double: (value) => typeof value === 'number' || (typeof value === 'string' && /^(?:NaN|-?Infinity)$/.test(value)),
  boolean: (value) => typeof value === 'boolean',
}

const hasType = (value: unknown, type: AttributeType): boolean => CHECKS[type](value)

/** The type alone: the value may be a secret. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `${typeOf(value[0])}[]`
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'double'
  return typeof value
}
