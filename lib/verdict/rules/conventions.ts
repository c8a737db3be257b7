import { plural } from '../../format'
import { type Finding, MAX_KEPT_FINDINGS, verdictOf } from '../verdict'
import {
  type AttributeFault,
  attributesIn,
  faultsOfAttribute,
  rememberNearest,
  type SeenAttributes,
} from './judge-attribute'
import type { Rule } from './rule'

/**
 * Compares attributes of spans, logs, metrics and resources with the semantic conventions of Sentry and OpenTelemetry. Each
 * fault is one finding per service and attribute, with its count.
 *
 * On spans of an SDK, a framework or an instrumentation (origin `auto`, or a scope of OpenTelemetry's instrumentations) only the
 * spelling is judged: SDK 11.8 still sends `http.method`, and only its update changes that. Names without a dot belong to the application.
 */
export const conventionsRule: Rule = {
  id: 'conventions',
  title: 'Attributes follow the semantic conventions',
  why: 'Searches, dashboards and alerts read the registered names; others are not found.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'warning',
  fix: 'Rename the attribute, or send its value with the registered type at the right level.',
  judge: ({ evidence }) => {
    const counted = new Map<string, Counted>()
    const nearest = rememberNearest()
    let judged = 0
    for (const seen of attributesIn(evidence))
      for (const [name, value] of Object.entries(seen.attributes)) {
        judged += 1
        for (const fault of faultsOfAttribute(name, value, seen, nearest)) count(counted, name, fault, seen)
      }
    const findings = [...counted.values()].slice(0, MAX_KEPT_FINDINGS).map(findingOf)
    return verdictOf(judged, findings, 'No span, log or metric with attributes was recorded.')
  },
}

interface Counted {
  readonly name: string
  readonly fault: AttributeFault
  /** The first one. */
  readonly seen: SeenAttributes
  times: number
}

function count(counted: Map<string, Counted>, name: string, fault: AttributeFault, seen: SeenAttributes): void {
  const key = JSON.stringify([seen.service, name, fault.kind, fault.actual])
  const known = counted.get(key)
  if (known === undefined) counted.set(key, { name, fault, seen, times: 1 })
  else known.times += 1
}

const findingOf = ({ name, fault, seen, times }: Counted): Finding => ({
  about: `${name} of ${seen.service}`,
  at: seen.at,
  path: `${seen.level === 'resource' ? 'resource.' : ''}attributes.${name}`,
  actual: `${fault.actual}, sent ${plural(times, 'time')}`,
  expected: fault.expected,
})
