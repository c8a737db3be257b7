import { isObject, type JsonObject, text } from '../protocol/json'
import { STAMP_ATTRIBUTE } from '../protocol/request'
import type { ExportRequest, OtlpSignal } from './decode'
import { ENTRY_LISTS, entriesOf } from './entries'
import { dataOf } from './metrics'
import { nanosOf, objectsOf, plainValue, spanIdOf, traceIdOf } from './values'

/** Counts spans, log records or data points, without reading their attributes. */
export function countEntries(
  signal: OtlpSignal,
  request: ExportRequest,
): { readonly valid: number; readonly invalid: number } {
  let [valid, invalid] = [0, 0]
  for (const entry of entriesOf(signal, request)) {
    const counted = signal === 'metrics' ? pointsOf(entry) : Number(signal === 'logs' || isSpan(entry))
    if (counted === null || (counted === 0 && signal === 'traces')) invalid += 1
    else valid += counted
  }
  return { valid, invalid }
}

const isSpan = (span: JsonObject): boolean =>
  traceIdOf(span.traceId) !== null && spanIdOf(span.spanId) !== null && nanosOf(span.startTimeUnixNano) !== null

/** @returns the number of data points; `null` for a metric without a known kind of data */
function pointsOf(metric: JsonObject): number | null {
  const found = dataOf(metric)
  return found === null ? null : objectsOf(found.data.dataPoints).length
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
