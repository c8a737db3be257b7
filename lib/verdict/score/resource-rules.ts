import { text } from '../../protocol/json-value'
import { atSpan } from '../rules/describe'
import { atSignal, levelFault, resourceOfSignal, type SeenAttributes } from '../rules/judge-attribute'
import { type Finding, type Verdict, verdictOf } from '../verdict'
import { findingOf, NO_RESOURCE, notJudged, type ScoreRule } from './score-rule'
import type { SeenResource, ServiceTelemetry } from './services'

const filled = (resource: SeenResource, name: string): string | null => {
  const value = text(resource.attributes[name])
  return value === null || value.trim() === '' ? null : value
}

/** Judges that each resource has an attribute. */
function requireOnEach(resources: readonly SeenResource[], name: string, nothing: string): Verdict {
  const findings = resources
    .filter((resource) => filled(resource, name) === null)
    .map(({ at }) => findingOf(`a resource without ${name}`, at, 'nothing', name, `resource.attributes.${name}`))
  return verdictOf(resources.length, findings, nothing)
}

/** Attributes that distinguish two running programs. */
const IDENTITY = ['host.id', 'host.name', 'container.id', 'k8s.pod.uid', 'process.pid'] as const

function identityOf({ attributes }: SeenResource): string | null {
  const found = IDENTITY.map((name) => attributes[name] ?? null)
  return found.every((value) => value === null) ? null : JSON.stringify(found)
}

/** Two programs that ran at the same time have one id. A program that restarted may keep its id. */
function sharedInstanceIds({ resources }: ServiceTelemetry): Verdict {
  const byId = new Map<string, SeenResource[]>()
  for (const resource of resources) {
    const id = filled(resource, 'service.instance.id')
    if (id !== null && identityOf(resource) !== null) byId.set(id, [...(byId.get(id) ?? []), resource])
  }
  const findings: Finding[] = []
  for (const [id, all] of byId) {
    const [first, ...others] = all.sort((one, other) => one.fromUs - other.fromUs)
    let last = first
    for (const next of others) {
      if (last !== undefined && identityOf(next) !== identityOf(last) && next.fromUs <= last.untilUs) {
        const actual = `two programs at once: ${identityText(last)} and ${identityText(next)}`
        findings.push(findingOf(`service.instance.id ${id}`, next.at, actual, 'an id of its own for each program'))
        break
      }
      if (last === undefined || next.untilUs > last.untilUs) last = next
    }
  }
  const why = `No resource with service.instance.id has one of ${IDENTITY.join(', ')}, so programs cannot be distinguished.`
  return verdictOf(byId.size, findings, resources.length === 0 ? NO_RESOURCE : why)
}

const identityText = ({ attributes }: SeenResource): string =>
  IDENTITY.flatMap((name) => (attributes[name] === undefined ? [] : [`${name} ${String(attributes[name])}`])).join(', ')

function* attributesOfService({ name, resources, spans, logs, metrics }: ServiceTelemetry): Generator<SeenAttributes> {
  const from = { service: name, format: 'OpenTelemetry', isOfSdk: false } as const
  for (const { attributes, at } of resources.filter(({ format }) => format === 'OpenTelemetry'))
    yield { ...from, level: 'resource', attributes, at }
  for (const span of spans)
    if (span.otel !== undefined) yield { ...from, level: 'span', attributes: span.attributes, at: atSpan(span) }
  for (const signal of [...logs, ...metrics]) {
    const { attributes } = signal.fields
    if (resourceOfSignal(signal) === null || typeof attributes !== 'object' || attributes === null) continue
    const level = signal.kind === 'log' ? 'log' : 'metric'
    yield { ...from, level, attributes: { ...attributes }, at: atSignal(signal) }
  }
}

const ONE_LEVEL = 'Telemetry of Sentry has attributes at one level only.'

/** One finding per attribute and level. */
function misplacedAttributes(service: ServiceTelemetry): Verdict {
  const findings = new Map<string, Finding>()
  let judged = 0
  for (const seen of attributesOfService(service))
    for (const name of Object.keys(seen.attributes)) {
      judged += 1
      const fault = levelFault(name, seen)
      if (fault === null) continue
      const key = `${seen.level} ${name}`
      if (!findings.has(key)) findings.set(key, findingOf(name, seen.at, fault.actual, fault.expected))
    }
  return verdictOf(judged, [...findings.values()], ONE_LEVEL)
}

const describesPod = ({ attributes }: SeenResource): boolean =>
  Object.keys(attributes).some((name) => name.startsWith('k8s.pod.'))

export const RESOURCE_RULES: readonly ScoreRule[] = [
  {
    id: 'RES-001',
    title: 'service.instance.id is present',
    impact: 'normal',
    judge: ({ resources }) => requireOnEach(resources, 'service.instance.id', NO_RESOURCE),
  },
  {
    id: 'RES-002',
    title: 'service.instance.id is unique per instance',
    impact: 'important',
    judge: sharedInstanceIds,
  },
  {
    id: 'RES-003',
    title: 'k8s.pod.uid is present for a Kubernetes pod',
    impact: 'important',
    judge: ({ resources }) =>
      requireOnEach(resources.filter(describesPod), 'k8s.pod.uid', 'No resource describes a Kubernetes pod.'),
  },
  {
    id: 'RES-004',
    title: 'Attributes of the semantic conventions sit at the right level',
    impact: 'important',
    judge: misplacedAttributes,
  },
  {
    id: 'RES-005',
    title: 'service.name is present',
    impact: 'critical',
    judge: ({ resources }) => requireOnEach(resources, 'service.name', NO_RESOURCE),
  },
]

/** Stands last, as in the specification. */
export const SDK_RULES: readonly ScoreRule[] = [
  {
    id: 'SDK-001',
    title: 'The SDK supports the versions of language and runtime',
    impact: 'low',
    judge: () => notJudged('A recording does not contain the versions that each SDK supports.'),
  },
]
