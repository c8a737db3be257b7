import type { Database } from 'better-sqlite3'
import { plural } from '../../../lib/format'
import { groupBy } from '../../../lib/group-by'
import { environmentRule } from '../../../lib/verdict/rules/environment'
import { isWebVital } from '../../../lib/verdict/rules/group-spans'
import { missingReleaseRule } from '../../../lib/verdict/rules/missing-release'
import { PROGRAM_MINUTES, type Program, type Programs } from '../../../lib/wire/programs'
import { prepareOnce } from '../../runtime/database'
import { hourEnd } from './read-error-groups'

/** The newest rows that are read of segments, of errors, of logs and of metrics. */
export const MAX_PROGRAM_ROWS = 1000
const MAX_PROGRAMS = 50
/** With fewer errors, that no span came may be chance. */
const ENOUGH_ERRORS = 5

const SENDER = 'e.sdk, e.project, e.received_at AS receivedAt, e.own'
const OF_RECORD = 'CROSS JOIN envelopes e ON e.seq = r.seq'
const NEWEST = `LIMIT ${MAX_PROGRAM_ROWS}`
export const PROGRAM_SEGMENTS = `SELECT 'segment' AS kind, r.service, r.op, r.release, r.environment, ${SENDER}
  FROM segments r ${OF_RECORD} WHERE r.list_position > 0 ORDER BY r.list_position DESC ${NEWEST}`
export const PROGRAM_EVENTS = `SELECT 'event' AS kind, r.service, NULL AS op, r.release, r.environment, ${SENDER}
  FROM events r ${OF_RECORD} WHERE r.journal > 0 ORDER BY r.journal DESC, r.event_id DESC ${NEWEST}`
export const PROGRAM_SIGNALS = `SELECT r.kind, r.service, NULL AS op, r.release, r.environment, ${SENDER}
  FROM signals r ${OF_RECORD} WHERE r.kind = @kind ORDER BY r.journal DESC, r.key DESC ${NEWEST}`

interface Sent {
  readonly kind: 'segment' | 'event' | 'log' | 'metric'
  /** `null` for a signal that several services may have sent. */
  readonly service: string | null
  readonly op: string | null
  readonly release: string | null
  readonly environment: string | null
  readonly sdk: string | null
  readonly project: string
  readonly receivedAt: number
  readonly own: number
}

/** The programs that sent something in the last hour. @param nowMs `null`: the hour of the newest envelope */
export function readPrograms(db: Database, nowMs: number | null): Programs {
  const now = hourEnd(db, nowMs)
  const since = now - PROGRAM_MINUTES * 60_000
  const signals = prepareOnce(db, PROGRAM_SIGNALS)
  const reads = [
    prepareOnce(db, PROGRAM_SEGMENTS).all(),
    prepareOnce(db, PROGRAM_EVENTS).all(),
    signals.all({ kind: 'log' }),
    signals.all({ kind: 'metric' }),
  ] as Sent[][]
  const sent = reads.flat().filter(({ own, receivedAt }) => own === 0 && receivedAt > since)
  const bySender = groupBy(sent, ({ service, sdk, project }) =>
    service === null ? null : JSON.stringify([service, sdk, project]),
  )
  const isCut = (rows: readonly Sent[]): boolean =>
    rows.length === MAX_PROGRAM_ROWS && (rows.at(-1)?.receivedAt ?? 0) > since
  // Its spans may be older than those that were read.
  const mayBeTraced = reads.some((rows) => rows[0]?.kind === 'segment' && isCut(rows))
  const programs = [...bySender.values()].map((rows) => programOf(rows, mayBeTraced || isTraced(sent, rows[0])))
  return {
    now,
    programs: programs.sort((a, b) => b.lastSeen - a.lastSeen).slice(0, MAX_PROGRAMS),
    isPart: programs.length > MAX_PROGRAMS || reads.some(isCut),
  }
}

/** Whether the service sent a span with any SDK: some apps trace with OpenTelemetry and report errors to Sentry. */
const isTraced = (sent: readonly Sent[], program: Sent | undefined): boolean =>
  sent.some(
    ({ kind, project, service }) => kind === 'segment' && project === program?.project && service === program.service,
  )

/** @param rows at least one */
function programOf(rows: readonly Sent[], isTracedToo: boolean): Program {
  const newestFirst = rows.toSorted((a, b) => b.receivedAt - a.receivedAt)
  const [newest] = newestFirst
  if (newest === undefined) throw new Error('a program that sent nothing')
  const newestOf = (field: 'release' | 'environment'): string | null =>
    newestFirst.find((row) => row[field] !== null)?.[field] ?? null
  const { sdk, project, receivedAt: lastSeen } = newest
  const program = { release: newestOf('release'), environment: newestOf('environment') }
  return {
    service: newest.service ?? '',
    sdk,
    project,
    ...program,
    lastSeen,
    problems: problemsOf(rows, { ...program, sdk, isTraced: isTracedToo }),
  }
}

/** Says nothing where the stored rows do not prove a problem: one row with a release proves that it is set. */
function problemsOf(
  rows: readonly Sent[],
  {
    release,
    environment,
    sdk,
    isTraced: hasSpans,
  }: Pick<Program, 'release' | 'environment' | 'sdk'> & { readonly isTraced: boolean },
): Program['problems'] {
  const errors = rows.filter(({ kind }) => kind === 'event').length
  // SDKs send web vitals without a release and an environment.
  const isJudged = errors > 0 || rows.some((row) => row.kind === 'segment' && !isWebVital(row))
  const isSentry = sdk?.startsWith('sentry.') ?? false
  const problems: Program['problems'] = []
  if (isSentry && !hasSpans && errors >= ENOUGH_ERRORS)
    problems.push({
      found: `${plural(errors, 'error')} and no span in the last hour`,
      fix: 'To trace, set tracesSampleRate in Sentry.init (traces_sample_rate in Python and PHP).',
    })
  if (isJudged && release === null) problems.push({ found: 'no release', fix: missingReleaseRule.fix })
  // SDKs of Sentry have a default, others need none.
  if (isJudged && isSentry && environment === null) problems.push({ found: 'no environment', fix: environmentRule.fix })
  return problems
}
