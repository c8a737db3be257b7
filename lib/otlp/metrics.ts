import { cutName, NO_FIELDS, type Signal } from '../protocol/items/signal'
import { isObject, type JsonObject, text } from '../protocol/json-value'
import type { ExportRequest } from './decode'
import { type EntrySource, visitEntries } from './entries'
import type { ReadSignals } from './logs'
import {
  attributesOf,
  doubleOf,
  hasField,
  int32Of,
  integerOf,
  nanosOf,
  objectsOf,
  spanIdOf,
  traceIdOf,
  usFromNanos,
} from './values'

/** The kinds of metrics, by the field of `Metric` that holds their data points. */
const KINDS = {
  gauge: { type: 'gauge', read: numberPoint },
  sum: { type: 'sum', read: numberPoint },
  histogram: { type: 'histogram', read: histogramPoint },
  exponentialHistogram: { type: 'exponential_histogram', read: exponentialPoint },
  summary: { type: 'summary', read: summaryPoint },
} as const

export const TEMPORALITIES = ['unspecified', 'delta', 'cumulative'] as const

/** Reads every data point as one signal. @param most points to read; the others only count as `beyond` */
export function readMetrics(request: ExportRequest, most: number): ReadSignals {
  const signals: ReadSignals['signals'][number][] = []
  let [invalid, beyond] = [0, 0]
  visitEntries('metrics', request, (metric, source) => {
    const found = dataOf(metric)
    if (found === null) {
      invalid += 1
      return
    }
    for (const point of objectsOf(found.data.dataPoints))
      if (signals.length >= most) beyond += 1
      else signals.push({ signal: signalOf(metric, found, point, source), sender: source.sender })
  })
  return { signals, invalid, beyond }
}

interface MetricData {
  readonly kind: keyof typeof KINDS
  readonly data: JsonObject
}

/** A metric without a known kind of data is invalid. */
export function dataOf(metric: JsonObject): MetricData | null {
  for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
    const data = metric[kind]
    if (isObject(data)) return { kind, data }
  }
  return null
}

function signalOf(
  metric: JsonObject,
  { kind, data }: MetricData,
  point: JsonObject,
  { resource, scope, sender }: EntrySource,
): Signal {
  const time = nanosOf(point.timeUnixNano)
  const start = nanosOf(point.startTimeUnixNano)
  const timestampUs = time === null ? null : usFromNanos(time)
  const exemplars = objectsOf(point.exemplars).map(exemplarOf)
  const temporality = TEMPORALITIES[Number(data.aggregationTemporality)]
  return {
    ...NO_FIELDS,
    kind: 'metric',
    rank: timestampUs ?? 0,
    timestampUs,
    traceId: exemplars.find(({ traceId }) => traceId !== null)?.traceId ?? null,
    name: cutName(text(metric.name) ?? '(unnamed)'),
    environment: sender.environment,
    release: sender.release,
    fields: {
      type: KINDS[kind].type,
      ...KINDS[kind].read(point),
      unit: text(metric.unit),
      sequence: null,
      attributes: attributesOf(point.attributes),
      description: text(metric.description),
      metadata: attributesOf(metric.metadata),
      ...(temporality !== undefined && kind !== 'gauge' && kind !== 'summary' && { temporality }),
      ...(kind === 'sum' && { monotonic: data.isMonotonic === true }),
      timeNanos: time?.toString() ?? null,
      startNanos: start?.toString() ?? null,
      flags: int32Of(point.flags) ?? 0,
      exemplars,
      resource,
      scope,
    },
  }
}

/** A measurement that OTLP writes as a double or as a 64-bit integer. */
function measurementOf(of: JsonObject): number | string | null {
  if (hasField(of, 'asInt')) return integerOf(of.asInt)
  return hasField(of, 'asDouble') ? doubleOf(of.asDouble) : null
}

function numberPoint(point: JsonObject): JsonObject {
  return { value: measurementOf(point) }
}

/** The value of a distribution is its sum; count and buckets stand beside it. */
function histogramPoint(point: JsonObject): JsonObject {
  return {
    ...distribution(point),
    min: optionalDouble(point, 'min'),
    max: optionalDouble(point, 'max'),
    bounds: numbersOf(point.explicitBounds, doubleOf),
    buckets: numbersOf(point.bucketCounts, integerOf),
  }
}

function exponentialPoint(point: JsonObject): JsonObject {
  return {
    ...distribution(point),
    min: optionalDouble(point, 'min'),
    max: optionalDouble(point, 'max'),
    scale: int32Of(point.scale) ?? 0,
    zeroCount: integerOf(point.zeroCount) ?? 0,
    zeroThreshold: doubleOf(point.zeroThreshold) ?? 0,
    positive: bucketsOf(point.positive),
    negative: bucketsOf(point.negative),
  }
}

function summaryPoint(point: JsonObject): JsonObject {
  return {
    ...distribution(point),
    quantiles: objectsOf(point.quantileValues).map((one) => ({
      quantile: doubleOf(one.quantile) ?? 0,
      value: doubleOf(one.value) ?? 0,
    })),
  }
}

const distribution = (point: JsonObject): JsonObject => ({
  value: optionalDouble(point, 'sum'),
  count: integerOf(point.count) ?? 0,
})

const optionalDouble = (point: JsonObject, name: string): number | string | null =>
  hasField(point, name) ? doubleOf(point[name]) : null

const bucketsOf = (of: unknown): JsonObject | null =>
  isObject(of) ? { offset: int32Of(of.offset) ?? 0, counts: numbersOf(of.bucketCounts, integerOf) } : null

const numbersOf = <Value>(list: unknown, read: (value: unknown) => Value): readonly Value[] =>
  Array.isArray(list) ? list.map(read) : []

function exemplarOf(given: JsonObject) {
  const time = nanosOf(given.timeUnixNano)
  return {
    value: measurementOf(given),
    timeNanos: time?.toString() ?? null,
    traceId: traceIdOf(given.traceId),
    spanId: spanIdOf(given.spanId),
    attributes: attributesOf(given.filteredAttributes),
  }
}
