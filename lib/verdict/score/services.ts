import { registeredAttribute } from '../../otlp/registered-attributes'
import { isObject, type JsonObject, text } from '../../protocol/json-value'
import type { Evidence, SeenEvent, SeenSegment, SeenSignal, SeenSpan } from '../evidence/evidence'
import { atSegment, atSpan } from '../rules/describe'
import { atSignal, resourceOfSignal } from '../rules/judge-attribute'
import type { FoundAt } from '../verdict'

/**
 * The program that sent something. Sentry's format has no resource: SDK, release, environment and the resource attributes
 * of a segment take its place.
 */
export interface SeenResource {
  readonly format: 'Sentry' | 'OpenTelemetry'
  readonly attributes: JsonObject
  /** The first item that it sent. */
  readonly at: FoundAt
  /** Times of its first and last entry, in µs since the epoch. */
  readonly fromUs: number
  readonly untilUs: number
}

/** Everything that one service sent. */
export interface ServiceTelemetry {
  readonly name: string
  readonly resources: readonly SeenResource[]
  readonly spans: readonly SeenSpan[]
  readonly logs: readonly SeenSignal[]
  readonly metrics: readonly SeenSignal[]
}

type Growing = {
  readonly name: string
  readonly resources: Map<string, { -readonly [Field in keyof SeenResource]: SeenResource[Field] }>
  readonly spans: SeenSpan[]
  readonly logs: SeenSignal[]
  readonly metrics: SeenSignal[]
}

/**
 * Groups telemetry by service: `service.name` of OpenTelemetry's resources and of Sentry's attributes, else the SDK with its
 * project, as in `sentry.javascript.nextjs (browser), project 1`. Copies are left out.
 */
export function telemetryByService(evidence: Evidence): readonly ServiceTelemetry[] {
  const services = new Map<string, Growing>()
  const grow = (name: string): Growing => {
    const known = services.get(name) ?? { name, resources: new Map(), spans: [], logs: [], metrics: [] }
    services.set(name, known)
    return known
  }
  const nameOf = namer(evidence)
  const keyOf = resourceKeys()
  for (const span of evidence.spans) {
    if (span.copy) continue
    const service = grow(nameOf(span))
    service.spans.push(span)
    if (span.otel === undefined) continue
    const { attributes } = span.otel.resource
    const resource = { format: 'OpenTelemetry', attributes, at: atSpan(span) } as const
    addResource(service, keyOf, { ...resource, fromUs: span.startUs, untilUs: span.endUs })
  }
  for (const segment of evidence.segments) {
    if (segment.copy || segment.lifecycle === 'otlp') continue
    const service = grow(nameOf(segment))
    const attributes = resourceOfSegment(service.name, segment)
    const resource = { format: 'Sentry', attributes, at: atSegment(segment) } as const
    addResource(service, keyOf, { ...resource, fromUs: segment.startUs, untilUs: segment.endUs })
  }
  for (const signal of evidence.signals) {
    if (signal.copy || (signal.kind !== 'log' && signal.kind !== 'metric')) continue
    const service = grow(nameOf(signal))
    service[signal.kind === 'log' ? 'logs' : 'metrics'].push(signal)
    const resource = resourceOfSignal(signal)
    const timeUs = signal.timestampUs ?? signal.receivedAt * 1000
    if (resource === null) continue
    const from = { format: 'OpenTelemetry', attributes: resource, at: atSignal(signal) } as const
    addResource(service, keyOf, { ...from, fromUs: timeUs, untilUs: timeUs })
  }
  // An error alone makes its sender a service, too.
  for (const event of evidence.events) if (!event.copy) grow(nameOf(event))
  return [...services.values()]
    .map((service) => ({ ...service, resources: [...service.resources.values()] }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Entries of a request share one resource object, so most are recognised without reading them. */
function resourceKeys(): (resource: JsonObject) => string {
  const keys = new Map<JsonObject, string>()
  return (resource) => {
    const known = keys.get(resource)
    if (known !== undefined) return known
    const key = JSON.stringify(Object.entries(resource).sort(([one], [other]) => (one < other ? -1 : 1)))
    keys.set(resource, key)
    return key
  }
}

function resourceOfSegment(service: string, { release, environment, attributes }: SeenSegment): JsonObject {
  const described = Object.entries(attributes).filter(([name]) => registeredAttribute(name)?.level === 'resource')
  return {
    'service.name': service.startsWith(UNKNOWN_SDK) ? null : service,
    'service.version': release,
    'deployment.environment.name': environment,
    ...Object.fromEntries(described),
  }
}

function addResource({ resources }: Growing, keyOf: (resource: JsonObject) => string, seen: SeenResource): void {
  const key = keyOf(seen.attributes)
  const known = resources.get(key)
  if (known === undefined) {
    resources.set(key, { ...seen })
    return
  }
  known.fromUs = Math.min(known.fromUs, seen.fromUs)
  known.untilUs = Math.max(known.untilUs, seen.untilUs)
}

const UNKNOWN_SDK = 'unknown SDK'

type Entry = SeenSpan | SeenSegment | SeenSignal | SeenEvent

function namer({ envelopes }: Evidence): (entry: Entry) => string {
  const senders = new Map(
    envelopes.map(({ seq, sdk, project }) => [seq, { sdk: sdk?.split(' ', 1)[0] ?? UNKNOWN_SDK, project }]),
  )
  return (entry) => {
    const { sdk, project } = senders.get(entry.seq) ?? { sdk: UNKNOWN_SDK, project: '' }
    if (isOfOpenTelemetry(entry)) return entry.service ?? 'unknown_service'
    const named = serviceNameIn(entry)
    if (named !== null) return named
    const side = entry.service !== null && SIDES.has(entry.service) ? ` (${entry.service})` : ''
    return `${sdk}${side}, project ${project}`
  }
}

/** One SDK for JavaScript runs in all of them. */
const SIDES: ReadonlySet<string> = new Set(['browser', 'server', 'edge'])

function isOfOpenTelemetry(entry: Entry): boolean {
  if ('kind' in entry) return resourceOfSignal(entry) !== null
  if ('startUs' in entry) return 'otel' in entry && entry.otel !== undefined
  // Errors in spans of OpenTelemetry have this context.
  return isObject(entry.payload.contexts) && isObject(entry.payload.contexts.otel)
}

function serviceNameIn(entry: Entry): string | null {
  if ('payload' in entry) return null
  const attributes = 'kind' in entry ? entry.fields.attributes : entry.attributes
  const name = isObject(attributes) ? text(attributes['service.name']) : null
  return name === '' ? null : name
}
