import { plural } from '../../lib/format'
import type { ExactNumber, ExponentialHistogram, Histogram, Summary } from '../../lib/wire/open-telemetry'
import type { SignalRow } from '../../lib/wire/signal'

type Fields = SignalRow['fields']

/** `12.5 ms`, of a distribution `12 values · sum 310 · 5 to 90 ms`; `null` without a value. */
export function measurementText(fields: Fields): string | null {
  const unit = unitText(fields.unit)
  const withUnit = (text: string): string => (unit === null ? text : `${text} ${unit}`)
  const { value, count, min, max } = fields
  if (!isExact(count)) return isExact(value) ? withUnit(shortNumber(value, 6)) : null
  const parts = [typeof count === 'number' ? plural(count, 'value') : `${count} values`]
  if (isExact(value)) parts.push(`sum ${shortNumber(value, 4)}`)
  if (isExact(min) && isExact(max)) parts.push(`${shortNumber(min, 4)} to ${shortNumber(max, 4)}`)
  return parts.length === 1 ? parts.join() : withUnit(parts.join(' · '))
}

/** The kind of a metric with its temporality: `histogram · delta`. */
export function typeText({ type, temporality }: Fields): string | null {
  if (typeof type !== 'string' || type === '') return null
  const kind = type === 'exponential_histogram' ? 'exp. histogram' : type
  return typeof temporality === 'string' && temporality !== 'unspecified' ? `${kind} · ${temporality}` : kind
}

const isExact = (value: unknown): value is ExactNumber =>
  typeof value === 'number' ? Number.isFinite(value) : typeof value === 'string' && value !== ''

/** A unit without the braces of a UCUM annotation; `null` for none, which UCUM writes as `1`. */
export function unitText(unit: unknown): string | null {
  if (typeof unit !== 'string' || unit === '' || unit === 'none' || unit === '1') return null
  return /^\{([^{}]+)\}$/.exec(unit)?.[1] ?? unit
}

/** Whole numbers exactly; others with so many significant digits, and without decimals where those are fewer. */
function shortNumber(value: ExactNumber, digits: number): string {
  if (typeof value !== 'number' || Number.isInteger(value)) return String(value)
  return String(Math.abs(value) >= 10 ** (digits - 1) ? Math.round(value) : Number(value.toPrecision(digits)))
}

export interface Bucket {
  /** The interval of its values: `(5, 10]`. */
  readonly range: string
  /** Its upper bound as text; `null` for the last bucket, which has none. */
  readonly to: string | null
  /** For the height of its bar; rounded above 2^53. */
  readonly size: number
  readonly count: ExactNumber
}

/** The buckets of a histogram, lowest values first; `null` for other metrics, and for a histogram without buckets. */
export function bucketsOf(fields: Fields): readonly Bucket[] | null {
  if (fields.type === 'histogram') return explicitBuckets(fields)
  return fields.type === 'exponential_histogram' ? exponentialBuckets(fields) : null
}

// The collector writes these fields whole or not at all, so one of them decides.
const isHistogram = (fields: Fields): fields is Fields & Histogram =>
  Array.isArray(fields.bounds) && Array.isArray(fields.buckets) && fields.buckets.length > 0
const isExponentialHistogram = (fields: Fields): fields is Fields & ExponentialHistogram =>
  typeof fields.scale === 'number' && 'positive' in fields && 'negative' in fields
const isSummary = (fields: Fields): fields is Fields & Summary =>
  fields.type === 'summary' && Array.isArray(fields.quantiles) && fields.quantiles.length > 0

function explicitBuckets(fields: Fields): readonly Bucket[] | null {
  if (!isHistogram(fields)) return null
  const { bounds, buckets } = fields
  return buckets.map((count, at) => {
    const [from, to] = [bounds[at - 1] ?? null, bounds[at] ?? null]
    const range = `(${from === null ? '−∞' : boundText(from)}, ${to === null ? '+∞)' : `${boundText(to)}]`}`
    return bucket(range, to === null ? null : boundText(to), count)
  })
}

const boundText = (bound: ExactNumber): string => shortNumber(bound, 6)

/** Bucket `i` has the values above `base^i` up to `base^(i+1)`, where the base is `2^(2^-scale)` (metrics.proto). */
function exponentialBuckets(fields: Fields): readonly Bucket[] | null {
  if (!isExponentialHistogram(fields)) return null
  const { scale, zeroCount, zeroThreshold, positive, negative } = fields
  const bound = (index: number): string => String(Number((2 ** (index * 2 ** -scale)).toPrecision(4)))
  const below = (negative?.counts ?? []).map((count, at) => {
    const index = (negative?.offset ?? 0) + at
    return bucket(`[−${bound(index + 1)}, −${bound(index)})`, `−${bound(index)}`, count)
  })
  const above = (positive?.counts ?? []).map((count, at) => {
    const index = (positive?.offset ?? 0) + at
    return bucket(`(${bound(index)}, ${bound(index + 1)}]`, bound(index + 1), count)
  })
  const zero =
    Number(zeroThreshold) === 0
      ? bucket('0', '0', zeroCount)
      : bucket(`[−${zeroThreshold}, ${zeroThreshold}]`, String(zeroThreshold), zeroCount)
  const all = [...below.reverse(), ...(zero.size > 0 ? [zero] : []), ...above]
  return all.length === 0 ? null : all
}

const bucket = (range: string, to: string | null, count: ExactNumber | null): Bucket => ({
  range,
  to,
  count: count ?? 0,
  size: Number(count ?? 0),
})

/** The buckets as one sentence, for readers who cannot see the bars. */
export function bucketsText(buckets: readonly Bucket[], unit: string | null): string {
  const total = buckets.reduce((sum, { size }) => sum + size, 0)
  const largest = buckets.reduce<Bucket | null>((found, one) => (one.size > (found?.size ?? 0) ? one : found), null)
  if (largest === null) return `${buckets.length} empty buckets.`
  const filled = buckets.filter(({ size }) => size > 0).length
  const range = unit === null ? largest.range : `${largest.range} ${unit}`
  return `${plural(total, 'value')} in ${filled} of ${buckets.length} buckets; the largest is ${range} with ${largest.count}.`
}

interface Quantile {
  readonly name: string
  readonly value: string
}

/** The quantiles of a summary: `min`, `p50`, `p99.9`, `max`; `null` for other metrics. */
export function quantilesOf(fields: Fields): readonly Quantile[] | null {
  if (!isSummary(fields)) return null
  const unit = unitText(fields.unit)
  return fields.quantiles.map(({ quantile, value }) => ({
    name: quantileName(Number(quantile)),
    value: unit === null ? String(value) : `${value} ${unit}`,
  }))
}

/** Quantiles 0 and 1 are the minimum and the maximum (metrics.proto, `ValueAtQuantile`). */
function quantileName(quantile: number): string {
  if (quantile === 0) return 'min'
  return quantile === 1 ? 'max' : `p${Number((quantile * 100).toPrecision(6))}`
}
