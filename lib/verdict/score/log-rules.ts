import { plural } from '../../format'
import { number } from '../../protocol/json-value'
import type { SeenSignal } from '../evidence/evidence'
import { atSignal } from '../rules/judge-attribute'
import { truncate } from '../text'
import { type Verdict, verdictOf } from '../verdict'
import { findingOf, notJudged, type ScoreRule } from './score-rule'

const NO_LOG = 'No log was recorded.'

const MOST_DAYS = 14
const DAY_US = 86_400_000_000
/** Severity numbers below this are TRACE and DEBUG (OpenTelemetry log data model, "SeverityNumber"). */
const INFO = 9

const isProduction = ({ environment }: SeenSignal): boolean => /^prod(?:uction)?$/i.test(environment ?? '')

function isDebug({ level, fields }: SeenSignal): boolean {
  const severity = number(fields.severityNumber)
  return severity !== null && severity > 0 ? severity < INFO : level === 'debug' || level === 'trace'
}

const timeUs = ({ timestampUs, receivedAt }: SeenSignal): number => timestampUs ?? receivedAt * 1000

function longDebugging(logs: readonly SeenSignal[]): Verdict {
  const ofProduction = logs.filter(isProduction)
  if (ofProduction.length === 0)
    return notJudged(logs.length === 0 ? NO_LOG : 'No log of an environment named production was recorded.')
  const debugging = ofProduction.filter(isDebug)
  const [first] = debugging
  if (first === undefined) return { verdict: 'pass', judged: ofProduction.length }
  const from = debugging.reduce((least, log) => Math.min(least, timeUs(log)), timeUs(first))
  const until = debugging.reduce((most, log) => Math.max(most, timeUs(log)), timeUs(first))
  if (until - from <= MOST_DAYS * DAY_US)
    return notJudged(`DEBUG logs were recorded in production, but for no more than ${MOST_DAYS} days.`)
  const days = Math.floor((until - from) / DAY_US)
  const actual = `${plural(debugging.length, 'DEBUG log')} within ${plural(days, 'day')}`
  const finding = findingOf('DEBUG logs in production', atSignal(first), actual, `none after ${MOST_DAYS} days`)
  return verdictOf(ofProduction.length, [finding], NO_LOG)
}

/** Logs of Sentry have a level instead of a number. */
function withoutSeverity(logs: readonly SeenSignal[]): Verdict {
  const findings = logs
    .filter(({ level, fields }) => level === null && (number(fields.severityNumber) ?? 0) === 0)
    .map((log) => findingOf(truncate(log.name, 60), atSignal(log), 'no severity', 'a severity', 'severityNumber'))
  return verdictOf(logs.length, findings, NO_LOG)
}

export const LOG_RULES: readonly ScoreRule[] = [
  {
    id: 'LOG-001',
    title: `No DEBUG logs in production for more than ${MOST_DAYS} days`,
    impact: 'important',
    judge: ({ logs }) => longDebugging(logs),
  },
  {
    id: 'LOG-002',
    title: 'The severity of a log is set',
    impact: 'important',
    judge: ({ logs }) => withoutSeverity(logs),
  },
]
