import { nameHint } from '../../config/nearest'
import { plural } from '../../format'
import type { Evidence, SeenEvent } from '../evidence/evidence'
import { errorEvents, errorVisibility } from '../rules/coverage'
import { formatValue, isRegExp, truncate, withoutSecrets } from '../text'
import { type Boards, type ExpectationResult, type Finding, type SourceLine, verdictOf } from '../verdict'
import { describeCriteria, matches, type Part } from './criteria'
import { findingLines, paragraphs, positionOf } from './explain'
import { checkCriteriaFor, itemLabel } from './kinds'
import { type KnownFailure, mergeKnownFailures } from './report'

/** An expected error, with an optional end date and reason. */
export interface AllowedError {
  /** A part of its title, a regular expression for its title, or a part of the event. */
  readonly error: string | RegExp | Part<SeenEvent>
  /** The last day on which it is allowed, in UTC: `2026-12-31`. Without it, always. */
  readonly until?: string | undefined
  readonly why?: string | undefined
}

export interface UnexpectedErrors extends ExpectationResult {
  readonly allowed: readonly SeenEvent[]
  readonly knownFailures: readonly KnownFailure[]
}

/**
 * Errors that the allowlist does not contain: events of level error and fatal, once per id. An expired entry allows nothing
 * and is named in the finding. Incomplete if no telemetry shows that errors would have arrived.
 * @param now ms since the epoch.
 * @throws TypeError for an invalid entry.
 */
export function unexpectedErrors(
  evidence: Evidence,
  {
    allow,
    now,
    allowedBy = () => [],
  }: {
    readonly allow: readonly AllowedError[]
    readonly now: number
    /** Further entries for one event, with the name of their list. */
    readonly allowedBy?: (event: SeenEvent) => readonly NamedEntry[]
  },
  boards: Boards,
): UnexpectedErrors {
  for (const entry of allow) checkAllowed(entry)
  const errors = errorEvents(evidence)
  const today = new Date(now).toISOString().slice(0, 10)
  const isOver = ({ until }: AllowedError): boolean => until !== undefined && until < today
  const entriesFor = (event: SeenEvent): readonly NamedEntry[] =>
    [...allow.map((entry) => ({ entry, list: BY_LIST })), ...allowedBy(event)].filter(({ entry }) =>
      matchesEntry(entry, event),
    )
  const judged = errors.map((event) => {
    const entries = entriesFor(event)
    return { event, entries, valid: entries.find(({ entry }) => !isOver(entry)) }
  })
  const allowed = judged.filter(({ valid }) => valid !== undefined)
  const findings = judged
    .filter(({ valid }) => valid === undefined)
    .map(({ event, entries }) => findingOf(event, entries[0]?.entry))
  const telling = errorVisibility(evidence)
  const verdict =
    findings.length === 0 && typeof telling !== 'number'
      ? telling
      : verdictOf(typeof telling === 'number' ? telling : errors.length, findings, '')
  const known = allowed.length === 0 ? [] : [`not counted: ${plural(allowed.length, 'allowed error')}`]
  const message =
    verdict.verdict === 'incomplete'
      ? verdict.why
      : paragraphs([
          [`${plural(findings.length, 'unexpected error')}`],
          findings.length === 0 ? [] : findingLines(findings, findings.length, boards),
          known,
        ])
  const negatedMessage = paragraphs([[`no unexpected error arrived; expected one`], known])
  const forgiven = allowed.map(({ event, valid }): KnownFailure => {
    const about = itemLabel('error', { ...event, title: withoutSecrets(event.title) })
    return { id: 'errors', about, count: 1, by: valid === undefined ? BY_LIST : describeEntry(valid) }
  })
  return {
    verdict,
    allowed: allowed.map(({ event }) => event),
    knownFailures: mergeKnownFailures(forgiven),
    message,
    negatedMessage,
  }
}

const BY_LIST = 'the allowlist'

interface NamedEntry {
  readonly entry: AllowedError
  /** `the allowlist`, or the test that allows it. */
  readonly list: string
}

function describeEntry({ entry: { until, why }, list }: NamedEntry): string {
  const words = [...(why === undefined ? [] : [truncate(why, 120)]), ...(until === undefined ? [] : [`until ${until}`])]
  return words.length === 0 ? list : `${list}: ${words.join(', ')}`
}

const ALLOWED_NAMES = ['error', 'until', 'why']
const DAY = /^\d{4}-\d\d-\d\d$/

/** @throws TypeError that names the fix. */
export function checkAllowed(entry: AllowedError): void {
  const stranger = Object.keys(entry).find((name) => !ALLOWED_NAMES.includes(name))
  if (stranger !== undefined)
    throw new TypeError(`an allowed error has no field ${truncate(stranger, 40)}; ${nameHint(stranger, ALLOWED_NAMES)}`)
  const { error, until } = entry
  if (typeof error === 'string' && error === '')
    throw new TypeError(
      'an allowed error must not be an empty text, which matches every title; write a part of its title',
    )
  if (typeof error !== 'string') checkCriteriaFor('error', isRegExp(error) ? { title: error } : error)
  if (until !== undefined && !isDay(until))
    throw new TypeError(`until must be a day such as 2026-12-31, got ${formatValue(until)}`)
}

/** Is it a valid date? `2026-02-30` is not. */
export function isDay(text: unknown): text is string {
  if (typeof text !== 'string' || !DAY.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

function matchesEntry({ error }: AllowedError, event: SeenEvent): boolean {
  if (typeof error === 'string') return event.title.includes(error)
  return isRegExp(error) ? error.test(event.title) : matches(event, error)
}

/** @param expired the entry that allowed it until a day in the past */
function findingOf(event: SeenEvent, expired: AllowedError | undefined): Finding {
  const frame = frameOf(event)
  const where = [
    event.level,
    event.service,
    event.transaction === null ? null : `in ${truncate(event.transaction, 60)}`,
    frame === null ? null : `at ${truncate(frame.file, 200)}:${frame.line}`,
  ]
  return {
    about: itemLabel('error', { ...event, title: withoutSecrets(event.title) }),
    at: positionOf(event),
    path: '',
    actual: `${where.filter((word) => word !== null).join(', ')}${event.handled === false ? ', unhandled' : ''}`,
    expected: expired === undefined ? 'no unexpected errors' : expiredText(expired),
    ...(frame === null ? {} : { frame }),
  }
}

/** The topmost frame of application code of the outermost exception. */
function frameOf({ exceptions }: SeenEvent): SourceLine | null {
  for (const { frames } of exceptions)
    for (const { inApp, filename, line } of frames)
      if (inApp && filename && line) return { file: withoutSecrets(filename.replace(/[?#].*$/, '')), line }
  return null
}

const expiredText = ({ error, until, why }: AllowedError): string =>
  `none: ${typeof error === 'string' || isRegExp(error) ? formatValue(error) : `an error ${describeCriteria(error)}`} was allowed until ${until ?? ''}${why === undefined ? '' : ` (${truncate(why, 80)})`}`
