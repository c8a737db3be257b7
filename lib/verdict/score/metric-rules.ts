import { formatCount } from '../../format'
import { registeredAttribute } from '../../otlp/registered-attributes'
import { isObject, text } from '../../protocol/json-value'
import type { SeenSignal } from '../evidence/evidence'
import { atSignal } from '../rules/judge-attribute'
import { formatValue } from '../text'
import { type Finding, type Verdict, verdictOf } from '../verdict'
import { findingOf, type ScoreRule } from './score-rule'
import { unitCode } from './ucum'

const NO_METRIC = 'No metric was recorded.'

/** From this many values of one attribute key on, a metric fails. */
const TOO_MANY_VALUES = 10_000
const HOUR_US = 3_600_000_000

function byName(metrics: readonly SeenSignal[]): ReadonlyMap<string, readonly SeenSignal[]> {
  const named = new Map<string, SeenSignal[]>()
  for (const metric of metrics) {
    const known = named.get(metric.name)
    if (known === undefined) named.set(metric.name, [metric])
    else known.push(metric)
  }
  return named
}

type Metrics = { readonly name: string; readonly first: SeenSignal; readonly all: readonly SeenSignal[] }

/** Judges each metric of a service by its name; `null` passes. */
function judgeEach(metrics: readonly SeenSignal[], judge: (of: Metrics) => Finding | null): Verdict {
  const named = byName(metrics)
  const findings = [...named].flatMap(([name, all]) => {
    const [first] = all
    const finding = first === undefined ? null : judge({ name, first, all })
    return finding === null ? [] : [finding]
  })
  return verdictOf(named.size, findings, NO_METRIC)
}

function tooManyValues({ name, first, all }: Metrics): Finding | null {
  const values = new Map<string, Set<unknown>>()
  for (const { fields, timestampUs, receivedAt } of all) {
    const hour = Math.floor((timestampUs ?? receivedAt * 1000) / HOUR_US)
    for (const [key, value] of Object.entries(isObject(fields.attributes) ? fields.attributes : {})) {
      const seen = values.get(`${hour} ${key}`) ?? new Set()
      values.set(`${hour} ${key}`, seen.add(typeof value === 'object' ? JSON.stringify(value) : value))
      if (seen.size >= TOO_MANY_VALUES) {
        const [most, found] = [`fewer than ${formatCount(TOO_MANY_VALUES)}`, formatCount(TOO_MANY_VALUES)]
        return findingOf(`${name}, attribute ${key}`, atSignal(first), `${found} values or more in an hour`, most)
      }
    }
  }
  return null
}

const unitOf = ({ fields }: SeenSignal): string | null => {
  const unit = text(fields.unit)
  return unit === '' ? null : unit
}

function invalidUnit({ name, all }: Metrics): Finding | null {
  for (const metric of all) {
    const unit = unitOf(metric)
    if (unit === null)
      return findingOf(name, atSignal(metric), 'no unit', 'a UCUM unit, such as s, By, 1 or {request}', 'unit')
    if (unitCode(unit) === null)
      return findingOf(name, atSignal(metric), formatValue(unit), 'a UCUM unit, such as s, By, 1 or {request}', 'unit')
  }
  return null
}

function severalUnits({ name, first, all }: Metrics): Finding | null {
  const units = [...new Set(all.map((metric) => unitOf(metric) ?? 'none'))]
  return units.length < 2 ? null : findingOf(name, atSignal(first), units.join(' and '), 'one unit', 'unit')
}

function boundsOf({ fields }: SeenSignal): string | null {
  const { bounds } = fields
  return Array.isArray(bounds) ? bounds.join(', ') : null
}

function oneSetOfBuckets(metrics: readonly SeenSignal[]): Verdict {
  const histograms = metrics.filter((metric) => boundsOf(metric) !== null)
  const verdict = judgeEach(histograms, ({ name, first, all }) => {
    const sets = [...new Set(all.map(boundsOf))]
    if (sets.length < 2) return null
    return findingOf(
      name,
      atSignal(first),
      sets.map((set) => `[${set}]`).join(' and '),
      'one set of buckets',
      'explicitBounds',
    )
  })
  if (verdict.verdict !== 'incomplete' || metrics.length === 0) return verdict
  return { ...verdict, why: 'No histogram with explicit buckets was recorded.' }
}

/** Words by which people name a unit in a metric's name. */
const UNIT_WORDS: ReadonlySet<string> = new Set(
  [
    ['s', 'sec', 'secs', 'second', 'seconds', 'ms', 'msec', 'millis', 'millisecond', 'milliseconds', 'us', 'micros'],
    ['microsecond', 'microseconds', 'ns', 'nanos', 'nanosecond', 'nanoseconds', 'minute', 'minutes', 'hour', 'hours'],
    [
      'byte',
      'bytes',
      'by',
      'kb',
      'kib',
      'kilobytes',
      'mb',
      'mib',
      'megabytes',
      'gb',
      'gib',
      'gigabytes',
      'bit',
      'bits',
    ],
    ['percent', 'pct', 'celsius', 'hertz', 'meter', 'meters', 'volts', 'watts'],
  ].flat(),
)

/** Only the last word counts: `jobs.seconds`, but not `disk.bytes.errors`. */
function unitInName({ name, first }: Metrics): Finding | null {
  const word = name.toLowerCase().split(/[._-]/).at(-1) ?? ''
  return UNIT_WORDS.has(word)
    ? findingOf(name, atSignal(first), `the name ends with ${word}`, 'the unit in its own field', 'name')
    : null
}

/** A name without a dot, such as `cls`, is a word that conventions and metrics may share. */
function nameOfAttribute({ name, first }: Metrics): Finding | null {
  if (!name.includes('.') || registeredAttribute(name) === null) return null
  return findingOf(name, atSignal(first), 'an attribute key of the semantic conventions', 'a name of its own', 'name')
}

export const METRIC_RULES: readonly ScoreRule[] = [
  {
    id: 'MET-001',
    title: `Fewer than ${formatCount(TOO_MANY_VALUES)} values per attribute key and metric in an hour`,
    impact: 'important',
    judge: ({ metrics }) => judgeEach(metrics, tooManyValues),
  },
  {
    id: 'MET-002',
    title: 'The unit of a metric is set and valid UCUM',
    impact: 'important',
    judge: ({ metrics }) => judgeEach(metrics, invalidUnit),
  },
  {
    id: 'MET-003',
    title: 'A metric has one unit',
    impact: 'important',
    judge: ({ metrics }) => judgeEach(metrics, severalUnits),
  },
  {
    id: 'MET-004',
    title: 'A histogram has one set of buckets',
    impact: 'normal',
    judge: ({ metrics }) => oneSetOfBuckets(metrics),
  },
  {
    id: 'MET-005',
    title: 'The unit is not part of the name of a metric',
    impact: 'normal',
    judge: ({ metrics }) => judgeEach(metrics, unitInName),
  },
  {
    id: 'MET-006',
    title: 'The name of a metric is not an attribute key of the conventions',
    impact: 'important',
    judge: ({ metrics }) => judgeEach(metrics, nameOfAttribute),
  },
]
