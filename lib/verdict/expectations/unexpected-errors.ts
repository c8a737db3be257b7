import { nameHint } from '../../config/nearest'
import { plural } from '../../format'
import type { Evidence, SeenEvent } from '../evidence/evidence'
import { errorEvents, errorVisibility } from '../rules/coverage'
import { formatValue, isRegExp, truncate, withoutSecrets } from '../text'
import { type Answer, type Boards, type Finding, type SourceLine, verdictOf } from '../verdict'
import { describeCriteria, matches, type Part } from './criteria'
import { findingLines, paragraphs, positionOf } from './explain'
import { checkCriteriaFor, itemLabel } from './kinds'
import { type KnownFailure, mergeKnownFailures } from './report'

/** An error that is known, until when, and why. */
export interface AllowedError {
  /** A text that its title holds, a regular expression that its title matches, or a part of the event. */
  readonly error: string | RegExp | Part<SeenEvent>
  /** The last day on which it is allowed, `2026-12-31`, in UTC; for ever where it is left out. */
  readonly until?: string | undefined
  readonly why?: string | undefined
}

export interface UnexpectedErrors extends Answer {
  /** Errors that the list knows. */
  readonly allowed: readonly SeenEvent[]
  /** The same by what allows them. */
  readonly forgiven: readonly KnownFailure[]
}

/**
 * All errors that no entry of the list knows: events of level error and fatal, each once. An entry whose day is over allows
 * nothing any more, and is told with the error that it knew. Where nothing could have told of one it is incomplete.
 * @param now ms since the epoch.
 * @throws TypeError where an entry is wrong.
 */
export function unexpectedErrors(
  evidence: Evidence,
  { allow, now }: { readonly allow: readonly AllowedError[]; readonly now: number },
  boards: Boards,
): UnexpectedErrors {
  for (const entry of allow) checkAllowed(entry)
  const errors = errorEvents(evidence)
  const today = new Date(now).toISOString().slice(0, 10)
  const isOver = ({ until }: AllowedError): boolean => until !== undefined && until < today
  const valid = allow.filter((entry) => !isOver(entry))
  const over = allow.filter(isOver)
  const isAllowed = (event: SeenEvent): boolean => valid.some((entry) => knows(entry, event))
  const allowed = errors.filter(isAllowed)
  const findings = errors.filter((event) => !isAllowed(event)).map((event) => findingOf(event, over))
  const telling = errorVisibility(evidence)
  const verdict =
    findings.length === 0 && typeof telling !== 'number'
      ? telling
      : verdictOf(typeof telling === 'number' ? telling : errors.length, findings, '')
  const known = allowed.length === 0 ? [] : [`beside ${plural(allowed.length, 'error')} that the list allows`]
  const told =
    verdict.verdict === 'incomplete'
      ? verdict.why
      : paragraphs([
          [`${plural(findings.length, 'unexpected error')}`],
          findings.length === 0 ? [] : findingLines(findings, findings.length, boards),
          known,
        ])
  const negatedMessage = paragraphs([[`no unexpected error arrived, and one was expected`], known])
  const forgiven = allowed.map((event): KnownFailure => {
    const entry = valid.find((one) => knows(one, event))
    const about = itemLabel('error', { ...event, title: withoutSecrets(event.title) })
    return { id: 'errors', about, count: 1, by: entry === undefined ? BY_LIST : allowedBy(entry) }
  })
  return { verdict, allowed, forgiven: mergeKnownFailures(forgiven), message: told, negatedMessage }
}

const BY_LIST = 'the allowlist'

function allowedBy({ until, why }: AllowedError): string {
  const words = [...(why === undefined ? [] : [truncate(why, 120)]), ...(until === undefined ? [] : [`until ${until}`])]
  return words.length === 0 ? BY_LIST : `${BY_LIST}: ${words.join(', ')}`
}

const ALLOWED_NAMES = ['error', 'until', 'why']
const DAY = /^\d{4}-\d\d-\d\d$/

/** @throws TypeError with the fix in the sentence. */
export function checkAllowed(entry: AllowedError): void {
  const stranger = Object.keys(entry).find((name) => !ALLOWED_NAMES.includes(name))
  if (stranger !== undefined)
    throw new TypeError(`an allowed error has no ${truncate(stranger, 40)}: ${nameHint(stranger, ALLOWED_NAMES)}`)
  const { error, until } = entry
  if (typeof error === 'string' && error === '')
    throw new TypeError('an allowed error is an empty text, which every title holds: write a part of its title')
  if (typeof error !== 'string') checkCriteriaFor('error', isRegExp(error) ? { title: error } : error)
  if (until !== undefined && !isDay(until))
    throw new TypeError(`until is a day such as 2026-12-31: ${formatValue(until)} was given`)
}

/** A day that the calendar has: `2026-02-30` is none. */
export function isDay(text: unknown): text is string {
  if (typeof text !== 'string' || !DAY.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

function knows({ error }: AllowedError, event: SeenEvent): boolean {
  if (typeof error === 'string') return event.title.includes(error)
  return isRegExp(error) ? error.test(event.title) : matches(event, error)
}

function findingOf(event: SeenEvent, over: readonly AllowedError[]): Finding {
  const entry = over.find((one) => knows(one, event))
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
    expected: entry === undefined ? 'no error that nobody knows' : expiredWords(entry),
    ...(frame === null ? {} : { frame }),
  }
}

/** The newest call of one's own code, of the exception that was thrown last. */
function frameOf({ exceptions }: SeenEvent): SourceLine | null {
  for (const { frames } of exceptions)
    for (const { inApp, filename, line } of frames)
      if (inApp && filename && line) return { file: withoutSecrets(filename.replace(/[?#].*$/, '')), line }
  return null
}

const expiredWords = ({ error, until, why }: AllowedError): string =>
  `none: ${typeof error === 'string' || isRegExp(error) ? formatValue(error) : `an error ${describeCriteria(error)}`} was allowed until ${until ?? ''}${why === undefined ? '' : ` (${truncate(why, 80)})`}`
