import { BREADCRUMBS } from '../../contract/values'
import type { SeenEvent } from '../evidence/evidence'
import { durationText } from '../text'
import { type Finding, verdictOf } from '../verdict'
import { fromJavaScriptSdk } from './coverage'
import { atEvent } from './describe'
import type { Rule } from './rule'

/** Sentry SDKs have a global, an isolation and a current scope, each with its own breadcrumbs. */
const SCOPES = 3

/**
 * Checks number and order of the breadcrumbs of each error event from a JavaScript SDK. A full list must have dropped its
 * oldest entries: its newest one may not be older than the newest one of an earlier event of the same page.
 *
 * `maxBreadcrumbs` and time order apply per scope. An event concatenates the lists of three scopes and does not mark
 * them, so a list may start over twice. Too many breadcrumbs are only a warning: an app may add some to a scope of its own.
 */
export const breadcrumbsRule: Rule = {
  id: 'breadcrumbs',
  title: 'An event has at most its newest 100 breadcrumbs, in time order',
  why: 'The last breadcrumbs before an error explain it. Too many make the event too large for Sentry.',
  setting: 'breadcrumbs',
  judgedFrom: ['telemetry'],
  sentBy: 'JavaScript SDKs',
  severity: 'warning',
  fix: `Set maxBreadcrumbs: ${BREADCRUMBS} in Sentry.init, add breadcrumbs only with Sentry.addBreadcrumb, and do not reorder them in beforeSend.`,
  judge: ({ evidence }) => {
    const isJavaScript = fromJavaScriptSdk(evidence)
    const events = evidence.events.filter((event) => !event.copy && event.breadcrumbs.length > 0 && isJavaScript(event))
    const findings = [...events.flatMap((event) => [...tooMany(event), ...outOfOrder(event)]), ...endTooEarly(events)]
    return verdictOf(events.length, findings, 'No error event of a JavaScript SDK has breadcrumbs.')
  },
}

const findingOf = (event: SeenEvent, rest: Pick<Finding, 'path' | 'actual' | 'expected'>): Finding => ({
  about: event.title,
  at: atEvent(event),
  ...rest,
})

function tooMany(event: SeenEvent): readonly Finding[] {
  const { length } = event.breadcrumbs
  if (length <= BREADCRUMBS) return []
  return [
    findingOf(event, { path: 'breadcrumbs', actual: `${length} breadcrumbs`, expected: `at most ${BREADCRUMBS}` }),
  ]
}

/** The first breadcrumb that is older than its predecessor and cannot start the list of another scope. */
function outOfOrder(event: SeenEvent): readonly Finding[] {
  let before: number | null = null
  let lists = 1
  for (const [index, { timestampUs }] of event.breadcrumbs.entries()) {
    if (timestampUs === null) continue
    if (before !== null && timestampUs < before) {
      lists += 1
      if (lists > SCOPES) {
        const actual = `${durationText(before - timestampUs)} older than the breadcrumb before it`
        const expected = `oldest first, in each of ${SCOPES} scopes`
        return [findingOf(event, { path: `breadcrumbs.${index}.timestamp`, actual, expected })]
      }
    }
    before = timestampUs
  }
  return []
}

/** The maximum, because the last list may belong to a scope with old breadcrumbs. */
const newestOf = ({ breadcrumbs }: SeenEvent): number | null =>
  breadcrumbs.reduce<number | null>(
    (newest, { timestampUs }) => (timestampUs === null ? newest : Math.max(newest ?? timestampUs, timestampUs)),
    null,
  )

function endTooEarly(events: readonly SeenEvent[]): readonly Finding[] {
  const newest = new Map<string, number>()
  const findings: Finding[] = []
  const inTime = events.filter(({ page }) => page !== null).sort((one, other) => one.timestampUs - other.timestampUs)
  for (const event of inTime) {
    const page = event.page ?? ''
    const last = newestOf(event)
    if (last === null) continue
    const known = newest.get(page)
    if (known !== undefined && last < known && event.breadcrumbs.length >= BREADCRUMBS) {
      const actual = `the newest is ${durationText(known - last)} older than one in an earlier event of the page`
      findings.push(
        findingOf(event, { path: 'breadcrumbs', actual, expected: 'the newest are kept, the oldest dropped' }),
      )
    }
    newest.set(page, Math.max(known ?? last, last))
  }
  return findings
}
