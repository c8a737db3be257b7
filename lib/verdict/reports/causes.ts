import type { Judged, Report } from '../expectations/report'
import type { Finding } from '../verdict'

/** A fault that has consequences in other checks. */
interface Cause {
  readonly is: (judged: Judged, finding: Finding) => boolean
  /** Is a finding of another check a consequence? `causes` are the findings of this fault. */
  readonly explains: (id: string, finding: Finding, causes: readonly Finding[]) => boolean
}

const isOneOf = (...ids: readonly string[]) => {
  const all = new Set(ids)
  return (id: string): boolean => all.has(id)
}
const isComparison = isOneOf('profile', 'last-green-run')
const GONE = /^(?:nothing arrived any more|disappeared)/
const SERVICE = /^(?!(?:POST|GET|https?):)([\w.-]+): /

/** Something that a comparison misses: of one service, or of all services together. */
const isMissing = (id: string, { about, actual }: Finding, ...services: readonly string[]): boolean => {
  const service = SERVICE.exec(about)?.[1]
  return isComparison(id) && GONE.test(actual) && (service === undefined || services.includes(service))
}
const hasTestOf = ({ test }: Finding, causes: readonly Finding[]): boolean =>
  !test || causes.some((cause) => cause.test === test)

const ofPosts = (id: string, finding: Finding, causes: readonly Finding[]): boolean =>
  (id === 'pageloads' && hasTestOf(finding, causes)) ||
  (id === 'losses' && /(?:network_error|send_error)/.test(finding.about)) ||
  isOneOf('expect-pageloads')(id) ||
  isMissing(id, finding, 'browser')

/** Why an SDK discarded spans; `null` for another loss, and for one by a failed post, which is a finding itself. */
const lostSpans = ({ about, actual }: Finding): string | null =>
  (actual.includes(' discarded by the SDK') &&
    /^(?:span|transaction), (?!network_error$|send_error$)(.+)$/.exec(about)?.[1]) ||
  null

/** Does the finding about a missing pageload name it as a reason of its own pages? */
const namesReason = ({ actual }: Finding, reason: string | null): boolean =>
  (/: the SDK discarded spans \((.+)\)$/.exec(actual)?.[1] ?? '').split(', ').includes(reason ?? '')

/** Causes in the order in which reports show them. `docs/reference/verdicts.md` has the same table. */
const CAUSES: readonly Cause[] = [
  {
    is: ({ id }, { actual }) =>
      id === 'envelope-posts' && /^an envelope was (?:not )?answered .*(?<!never arrived)$/.test(actual),
    explains: ofPosts,
  },
  { is: ({ id }) => id === 'envelope-posts', explains: ofPosts },
  {
    is: ({ id }, finding) => id === 'losses' && lostSpans(finding) !== null,
    explains: (id, finding, causes) =>
      id === 'pageloads'
        ? causes.some((cause) => namesReason(finding, lostSpans(cause)))
        : causes.some((cause) => lostSpans(cause) === 'queue_overflow') &&
          (id === 'expect-pageloads' || isMissing(id, finding, 'browser')),
  },
  {
    is: ({ id }, { about, actual }) =>
      (id === 'unrecorded-requests' && actual.startsWith('nothing arrived from a server')) ||
      (isComparison(id) && about === 'server: telemetry'),
    explains: (id, finding) =>
      isOneOf('server-segments', 'server-errors', 'server-failures', 'unrecorded-requests', 'trace-headers')(id) ||
      (id === 'expect-services' && finding.about === 'server') ||
      isMissing(id, finding, 'server'),
  },
  {
    is: ({ id }, { about }) => isComparison(id) && about === 'browser: telemetry',
    explains: (id, finding) => isOneOf('expect-pageloads', 'pageloads')(id) || isMissing(id, finding, 'browser'),
  },
  {
    is: ({ id }, { actual }) => id === 'server-segments' && actual.includes('no trace headers reached it'),
    explains: (id, { about }) => isComparison(id) && about.startsWith('trace from browser > '),
  },
  {
    is: ({ id }, { actual }) => id === 'pageloads' && actual.startsWith('a browser reported, but no pageload arrived'),
    explains: (id, { about, actual }) =>
      id === 'expect-pageloads' || (isComparison(id) && about === 'browser: spans' && GONE.test(actual)),
  },
  {
    is: ({ id }, { actual }) => id === 'setup' && /^all \d+ discarded by the SDK/.test(actual),
    explains: (id, { about }, causes) =>
      causes.some((cause) => cause.about.startsWith('error ')) &&
      (id === 'expect-errors' || (isComparison(id) && /^\w+: errors$/.test(about))),
  },
  // With errors: 'warn' an unhandled error fails by itself.
  {
    is: ({ id, severity }) => id === 'errors' && severity === 'error',
    explains: (id, { at }, causes) =>
      id === 'unhandled-errors' && !!at?.eventId && causes.some((cause) => cause.at?.eventId === at.eventId),
  },
]

/** Checks without a cause of the table, in the order of the report; then all others. */
const RANKED: readonly ((judged: Judged) => boolean)[] = [
  ({ id }) => id === 'pageloads' || id === 'pageloads-once',
  ({ id, group }) => id === 'setup' || id.startsWith('expect-sampling') || group === 'losses',
  ({ id }) => id === 'privacy',
  ({ group }) => group === 'errors' || group === 'arrival' || group === 'expect' || group === 'budget',
  ({ group }) => group === 'profile',
]

interface Ranked {
  readonly judged: Judged
  readonly rank: number
  /** Empty unless it failed. */
  readonly findings: readonly Finding[]
}

/**
 * Sorts checks so that causes come before their consequences. A failed check of which each finding follows from one cause
 * names it in `follows`. A warning about nothing but the cause of a failure becomes a failure, too. The verdict stays. Pure.
 */
export function causesFirst(report: Report): Report {
  const all = report.judged.map((judged): Ranked => {
    const findings = judged.verdict.verdict === 'fail' ? judged.verdict.findings : []
    return { judged, findings, rank: rankOf(judged, findings) }
  })
  const raised = new Set<Judged>()
  const follows = new Map<Judged, string>()
  for (const one of all) {
    const cause = causeOf(one, all)
    if (cause === null) continue
    follows.set(one.judged, sentenceOf(cause.first, cause.judged))
    if (one.judged.severity === 'error' && cause.isWhole) raised.add(cause.judged)
  }
  const sorted = [...all].sort((one, other) => one.rank - other.rank)
  return {
    ...report,
    judged: sorted.map(({ judged }): Judged => {
      const severity = raised.has(judged) ? 'error' : judged.severity
      const cause = follows.get(judged)
      return cause === undefined ? { ...judged, severity } : { ...judged, severity, follows: cause }
    }),
  }
}

function rankOf(judged: Judged, findings: readonly Finding[]): number {
  const cause = CAUSES.findIndex(({ is }) => findings.some((finding) => is(judged, finding)))
  if (cause >= 0) return cause
  const rank = RANKED.findIndex((isRanked) => isRanked(judged))
  return CAUSES.length + (rank < 0 ? RANKED.length : rank)
}

interface Found {
  readonly judged: Judged
  readonly first: Finding
  /** The check of the cause has no other findings. */
  readonly isWhole: boolean
}

/** The first cause in another check that explains all findings. */
function causeOf({ judged, rank, findings }: Ranked, all: readonly Ranked[]): Found | null {
  if (findings.length === 0) return null
  for (const { is, explains } of CAUSES.slice(0, rank))
    for (const other of all) {
      if (other.judged === judged) continue
      const causes = other.findings.filter((finding) => is(other.judged, finding))
      const [first] = causes
      if (first !== undefined && findings.every((finding) => explains(judged.id, finding, causes)))
        return { judged: other.judged, first, isWhole: causes.length === other.findings.length }
    }
  return null
}

/** A finding as one sentence. */
export const sentenceOf = ({ about, actual, expected }: Finding, { group }: Pick<Judged, 'group'>): string =>
  group === 'contract' ? `${about}: expected ${expected}, got ${actual}` : `${about}: ${actual}`
