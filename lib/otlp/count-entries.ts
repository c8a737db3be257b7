import { isObject, type JsonObject, text } from '../protocol/json-value'
import { STAMP_ATTRIBUTE } from '../protocol/request'
import type { ExportRequest } from './decode'
import { ENTRY_LISTS, entriesOf } from './entries'
import { dataOf } from './metrics'
import { OTLP_SIGNALS, type OtlpSignal } from './signals'
import { bigintOf, hexOf, nanosOf, objectsOf, plainValue, spanIdOf, traceIdOf } from './values'

interface EntryCounts {
  readonly valid: number
  readonly invalid: number
  /** The fault of the first invalid entry, or of a request whose entries are not found; `null` when there is none. */
  readonly problem: string | null
}

/** Counts spans, log records or data points, without reading their attributes. */
export function countEntries(signal: OtlpSignal, request: ExportRequest): EntryCounts {
  let [valid, invalid] = [0, 0]
  let problem: string | null = null
  for (const entry of entriesOf(signal, request)) {
    const found = PROBLEM_OF[signal](entry)
    if (found === null) valid += signal === 'metrics' ? objectsOf(dataOf(entry)?.data.dataPoints).length : 1
    else {
      invalid += 1
      problem ??= `${NOUNS[signal]} ${quoted(entry.name)}: ${found}`
    }
  }
  return { valid, invalid, problem: invalid + valid === 0 ? misnamedList(signal, request) : problem }
}

const NOUNS = { traces: 'span', logs: 'log record', metrics: 'metric' } as const

const PROBLEM_OF: Readonly<Record<OtlpSignal, (entry: JsonObject) => string | null>> = {
  traces: spanProblem,
  logs: () => null,
  metrics: (metric) =>
    dataOf(metric) === null ? 'needs a gauge, sum, histogram, exponentialHistogram or summary' : null,
}

function spanProblem(span: JsonObject): string | null {
  if (traceIdOf(span.traceId) === null) return idProblem('traceId', span.traceId, 16)
  if (spanIdOf(span.spanId) === null) return idProblem('spanId', span.spanId, 8)
  if (nanosOf(span.startTimeUnixNano) !== null) return null
  const got = quoted(bigintOf(span.startTimeUnixNano)?.toString() ?? span.startTimeUnixNano)
  return `startTimeUnixNano must be an integer of nanoseconds since 1970, above 0 and before the year 2255, got ${got}`
}

/** JSON has ids as hex, unlike other bytes, which it has as base64 (OTLP specification, "JSON Protobuf Encoding"). */
const idProblem = (field: string, value: unknown, bytes: number): string =>
  `${field} must be ${bytes} bytes, in JSON ${bytes * 2} hex digits, not all zeros, got ${quoted(value)}`

/** A received value for an error message. */
function quoted(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (value instanceof Uint8Array) return `${value.length} bytes: "${hexOf(value.subarray(0, 16))}"`
  return JSON.stringify(value).slice(0, 60)
}

/** A list with a name that OTLP/JSON does not have: receivers must ignore it, so its sender would never know. */
function misnamedList(signal: OtlpSignal, request: ExportRequest): string | null {
  const [resources, scopes, entries] = ENTRY_LISTS[signal]
  const ofResources = objectsOf(request[resources])
  const ofScopes = ofResources.flatMap((resource) => objectsOf(resource[scopes]))
  const other = OTLP_SIGNALS.find((one) => one !== signal && Object.hasOwn(request, ENTRY_LISTS[one][0]))
  if (other !== undefined) return `the request has ${ENTRY_LISTS[other][0]}: post it to /v1/${other}`
  const expected = [
    [[request], resources],
    [ofResources, scopes],
    [ofScopes, entries],
  ] as const
  for (const [within, name] of expected) {
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    if (snake !== name && within.some((one) => Object.hasOwn(one, snake)))
      return `the request has ${snake}: OTLP/JSON names are lowerCamelCase, so write ${name}`
  }
  return null
}

/**
 * The stamp of a program without the header: attribute `waystation.stamp` of its resource, its spans or its log records.
 * @returns `null` unless all entries have the same one: a server's batch may mix several tests, and then each entry's
 * own attribute decides
 */
export function findStamp(
  signal: OtlpSignal,
  request: ExportRequest,
  isValid: (stamp: string) => boolean,
): string | null {
  const stampIn = (attributes: unknown): string | null => {
    const last = objectsOf(attributes).findLast(({ key }) => key === STAMP_ATTRIBUTE)
    const stamp = last === undefined ? null : text(plainValue(last.value))
    return stamp !== null && isValid(stamp) ? stamp : null
  }
  const [ofResource, ofScope, entries] = ENTRY_LISTS[signal]
  const found = new Set<string | null>()
  for (const resource of objectsOf(request[ofResource])) {
    const ofAll = isObject(resource.resource) ? stampIn(resource.resource.attributes) : null
    for (const scope of objectsOf(resource[ofScope]))
      for (const entry of objectsOf(scope[entries]))
        found.add((signal === 'metrics' ? null : stampIn(entry.attributes)) ?? ofAll)
  }
  const [stamp = null, ...others] = found
  return others.length > 0 ? null : stamp
}
