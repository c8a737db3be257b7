import { similarName } from '../../config/nearest'
import { plural } from '../../format'
import { errorDiscardsCause, noServiceCause, spansQuestion } from '../compare/causes'
import { countEvidence } from '../compare/count-evidence'
import type { Evidence, SeenEvent, SeenSegment } from '../evidence/evidence'
import { errorEvents } from '../rules/coverage'
import { atEvent, atSegment, requestOf } from '../rules/describe'
import { eachOnce, isWebVital } from '../rules/group-spans'
import { listFirst, truncate } from '../text'
import { type Finding, finding, type Verdict, verdictOf } from '../verdict'
import { type ExpectedTelemetry, releaseTest, type Sampling } from './expected-telemetry'
import { wildcard } from './pattern-text'
import type { Judged } from './report'
import { judgeSampling, sampledOut } from './sampling'

const NOTHING = 'No error event or segment was recorded.'

/** Judges `expect` and `sampling` of the configuration against everything that arrived. Copies do not count. Pure. */
export function judgeExpected(evidence: Evidence, expected: ExpectedTelemetry, sampling: Sampling): readonly Judged[] {
  const { environment, release, services, pageloads, errors, transactions } = expected
  const judged: Judged[] = []
  const add = (id: string, title: string, fix: string, verdict: Verdict): void => {
    judged.push({ id: `expect-${id}`, title, group: 'expect', severity: 'error', why: WHY, fix, verdict })
  }
  if (environment !== undefined) {
    const allowed = typeof environment === 'string' ? [environment] : environment
    const title = `The environment is ${listFirst(allowed.map((one) => truncate(one, 60)))}`
    add('environment', title, 'Set environment in every Sentry.init.', judgeEnvironment(evidence, allowed))
  }
  if (release !== undefined) {
    const fix = 'Set release in Sentry.init, or SENTRY_RELEASE when you build and start the program.'
    add('release', `The release is ${truncate(String(release), 60)}`, fix, judgeRelease(evidence, release))
  }
  if (services !== undefined) {
    const title = `These services send telemetry: ${listFirst(services.map((one) => truncate(one, 60)))}`
    add('services', title, 'Start the SDK of each service, with the DSN of the run.', judgeServices(evidence, services))
  }
  const leastPageloads = pageloads?.min ?? 0
  if (leastPageloads > 0) {
    const fix = 'Enable browserTracingIntegration, and open a page in a test.'
    add(
      'pageloads',
      `At least ${plural(leastPageloads, 'pageload')}`,
      fix,
      judgePageloads(evidence, leastPageloads, sampling),
    )
  }
  const leastErrors = errors?.min ?? 0
  if (leastErrors > 0) {
    const fix = 'Cause an error in a test, and check that no filter discards it.'
    add('errors', `At least ${plural(leastErrors, 'error event')}`, fix, judgeErrors(evidence, leastErrors))
  }
  if (transactions !== undefined) {
    const title = `${plural(transactions.length, 'transaction')} must occur`
    const fix = 'Check the name, and that a test causes it.'
    add('transactions', title, fix, judgeTransactions(evidence, transactions, sampling))
  }
  for (const [service, rate] of Object.entries(sampling)) {
    const fix = `Set tracesSampleRate of the ${service} to ${rate}, or change sampling in the configuration.`
    const title = `The ${truncate(service, 60)} samples traces with rate ${rate}`
    add(`sampling-${service}`, title, fix, judgeSampling(evidence, service, rate))
  }
  return judged
}

const WHY = 'The configuration says that a run has it; missing telemetry looks like a healthy program.'

interface Named {
  readonly service: string
  readonly value: string | null
  readonly at: Finding['at']
}

/** A value of each event and segment. Web vitals are left out: SDKs 8 to 10 send them without environment and release. */
function named(
  { events, segments }: Evidence,
  read: (one: SeenEvent | SeenSegment) => string | null,
): readonly Named[] {
  return [
    ...events.filter(({ copy }) => !copy).map((one) => ({ service: one.service, value: read(one), at: atEvent(one) })),
    ...segments
      .filter((one) => !one.copy && !isWebVital(one))
      .map((one) => ({ service: one.service, value: read(one), at: atSegment(one) })),
  ]
}

/** One finding per service and wrong value. */
function wrongValues(
  all: readonly Named[],
  noun: string,
  isRight: (value: string) => boolean,
  expected: string,
  causeOf: (value: string | null) => string,
): Verdict {
  const wrong = new Map<string, { readonly first: Named; count: number }>()
  for (const one of all) {
    if (one.value !== null && isRight(one.value)) continue
    const key = JSON.stringify([one.service, one.value])
    const known = wrong.get(key)
    if (known === undefined) wrong.set(key, { first: one, count: 1 })
    else known.count += 1
  }
  const findings = [...wrong.values()].map(({ first: { service, value, at }, count }) => ({
    about: `${noun} of the ${service}`,
    at,
    path: noun,
    actual: `${value === null ? 'nothing' : truncate(value, 60)} in ${plural(count, 'item')}${causeOf(value)}`,
    expected,
  }))
  return verdictOf(all.length, findings, NOTHING)
}

function judgeEnvironment(evidence: Evidence, allowed: readonly string[]): Verdict {
  const causeOf = (value: string | null): string => {
    if (value === null) return ': environment missing: set it in Sentry.init'
    const similar = similarName(value, allowed)
    if (similar !== null) return `: is it misspelt? did you mean ${truncate(similar, 60)}?`
    return value === 'production' ? ': SDK 11 fills in production when none is set' : ''
  }
  const all = named(evidence, ({ environment }) => environment)
  return wrongValues(all, 'environment', (value) => allowed.includes(value), listFirst(allowed), causeOf)
}

function judgeRelease(evidence: Evidence, release: string | RegExp): Verdict {
  const all = named(evidence, (one) => one.release ?? ('attributes' in one ? releaseIn(one.attributes) : null))
  const causeOf = (value: string | null): string => (value === null ? ': release missing' : '')
  return wrongValues(all, 'release', releaseTest(release), String(release), causeOf)
}

/** SDKs 8 to 10 put the release of a stand-alone span into an attribute without prefix. */
const releaseIn = ({ release }: SeenSegment['attributes']): string | null =>
  typeof release === 'string' ? release : null

function judgeServices(evidence: Evidence, services: readonly string[]): Verdict {
  const { envelopes, events, segments, spans, signals } = evidence
  // A client report is no telemetry: an SDK that discards everything sends one, too.
  const others = signals.filter(({ kind }) => kind !== 'client_report')
  const seen = new Set(
    [...events, ...segments, ...spans, ...others].flatMap(({ copy, service }) => (copy ? [] : service)),
  )
  const known = [...seen].flatMap((service) => service ?? [])
  const findings = services
    .filter((service) => !seen.has(service))
    .map((service) => {
      const { transactions, spans: notSent } = sampledOut(evidence, service)
      const isSampledOut = transactions + notSent > 0
      const similar = similarName(service, known)
      const cause = isSampledOut
        ? 'its SDK reports sample_rate: is a sample rate too low?'
        : similar !== null && !services.includes(similar)
          ? `did you mean ${similar}?`
          : noServiceCause(service)
      return finding(service, `nothing arrived: ${cause}`, 'at least one event, span or other item')
    })
  return verdictOf(envelopes.length, findings, 'Nothing was recorded.')
}

function judgePageloads(evidence: Evidence, least: number, sampling: Sampling): Verdict {
  const arrived = eachOnce(evidence.segments.filter(({ copy, op }) => !copy && op === 'pageload')).length
  // Navigations are sampled out, too, so the number is an upper bound.
  const left = (sampling.browser ?? 1) < 1 ? sampledOut(evidence, 'browser').transactions : 0
  const judged = evidence.envelopes.length
  if (arrived + left >= least) return verdictOf(judged, [], 'Nothing was recorded.')
  const cause = arrived === 0 ? `: ${spansQuestion('browser', countEvidence(evidence))}` : ''
  const reported = left === 0 ? '' : `, and ${left} sampled out by client reports`
  const findings = [finding('pageloads', `${arrived} arrived${reported}${cause}`, `at least ${least}`)]
  return verdictOf(judged, findings, 'Nothing was recorded.')
}

function judgeErrors(evidence: Evidence, least: number): Verdict {
  const arrived = errorEvents({ ...evidence, events: evidence.events.filter(({ copy }) => !copy) }).length
  const judged = evidence.envelopes.length
  if (arrived >= least) return verdictOf(judged, [], 'Nothing was recorded.')
  const cause =
    errorDiscardsCause(countEvidence(evidence)) ??
    'do beforeSend or ignoreErrors discard them, is onRequestError exported from instrumentation.ts, or did no test cause one?'
  return verdictOf(judged, [finding('error events', `${arrived} arrived: ${cause}`, `at least ${least}`)], '')
}

/** A transaction that sampling may have left out only warns: client reports count, but do not name. */
function judgeTransactions(evidence: Evidence, patterns: readonly string[], sampling: Sampling): Verdict {
  const segments = evidence.segments.filter(({ copy }) => !copy)
  const namesOf = (one: SeenSegment): readonly string[] => {
    const request = requestOf(one)
    const plain = request === null ? [one.name] : [one.name, request.short]
    return one.op === null ? plain : [...plain, ...plain.map((name) => `${one.op} ${name}`)]
  }
  const names = [...new Set(segments.flatMap(namesOf))]
  const partly = Object.entries(sampling).filter(([, rate]) => rate < 1)
  const left = partly.reduce((sum, [service]) => sum + sampledOut(evidence, service).transactions, 0)
  const findings = patterns
    .filter((pattern) => !names.some(wildcard(pattern)))
    .map((pattern): Finding => {
      const similar = similarName(pattern, names)
      const hint = similar === null ? '' : `; did you mean ${truncate(similar, 80)}?`
      const reported = left === 0 ? '' : `; ${plural(left, 'transaction')} sampled out by client reports`
      const found = finding(
        truncate(pattern, 80),
        `none of ${plural(segments.length, 'transaction')}${reported}${hint}`,
        'at least one',
      )
      return left === 0 ? found : { ...found, isMinor: true }
    })
  return verdictOf(segments.length, findings, 'No transaction was recorded.')
}
