import { isObject, type JsonObject, text } from '../protocol/json-value'
import { type OpenTelemetryResource, type OpenTelemetryScope, openTelemetrySdk } from '../protocol/trace/segment'
import { attributesOf, countOf } from './values'

/** Reads `resource` and `schemaUrl` of a ResourceSpans, ResourceLogs or ResourceMetrics. */
export function resourceOf(of: JsonObject): OpenTelemetryResource {
  const resource = isObject(of.resource) ? of.resource : {}
  return {
    attributes: attributesOf(resource.attributes),
    droppedAttributes: countOf(resource.droppedAttributesCount),
    schemaUrl: text(of.schemaUrl),
  }
}

/** Reads `scope` and `schemaUrl` of a ScopeSpans, ScopeLogs or ScopeMetrics. */
export function scopeOf(of: JsonObject): OpenTelemetryScope {
  const scope = isObject(of.scope) ? of.scope : {}
  return {
    name: text(scope.name),
    version: text(scope.version),
    attributes: attributesOf(scope.attributes),
    droppedAttributes: countOf(scope.droppedAttributesCount),
    schemaUrl: text(of.schemaUrl),
  }
}

/** The fields of a segment or a signal that come from its resource. */
export interface Sender {
  readonly service: string
  readonly environment: string | null
  readonly release: string | null
  /** `opentelemetry.nodejs`: the name and the language of the SDK. */
  readonly sdk: string
  readonly sdkVersion: string | null
}

/** The OpenTelemetry semantic conventions for resources; names before their stabilisation are read too. */
export function senderOf({ attributes }: OpenTelemetryResource): Sender {
  return {
    service: text(attributes['service.name']) ?? 'unknown_service',
    environment: text(attributes['deployment.environment.name']) ?? text(attributes['deployment.environment']),
    release: text(attributes['service.version']),
    sdk: openTelemetrySdk(attributes),
    sdkVersion: text(attributes['telemetry.sdk.version']),
  }
}
