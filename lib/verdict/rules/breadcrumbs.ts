import { BREADCRUMBS } from '../../contract/values'
import type { SeenEvent } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { javaScriptSender } from './coverage'
import { atEvent, toldDuration } from './describe'
import type { Rule } from './rule'

/** An SDK keeps breadcrumbs of the process, of what runs isolated in it (a page, a request), and of `withScope`. */
const SCOPES = 3

/**
 * Judged from each error event of an SDK of the JavaScript family that carries breadcrumbs: how many, and in which order.
 * That the newest are kept shows where a page sends several: a full list may not end before that of an earlier event did.
 *
 * `maxBreadcrumbs` and time order are of one scope. An event has those of three, one list after the other, and does not say
 * which is whose. So a list that is in order three times over is in order; and one that is too long is a warning, for an
 * app that puts breadcrumbs on a scope of its own has those beside the hundred.
 */
export const breadcrumbsRule: Rule = {
  id: 'breadcrumbs',
  title: 'An event has its newest hundred breadcrumbs, in time order',
  why: 'What happened just before an error is what explains it; too many of them make an event too large to be taken.',
  setting: 'breadcrumbs',
  judgedFrom: ['telemetry'],
  sentBy: 'JavaScript SDKs',
  severity: 'warning',
  fix: `Set maxBreadcrumbs: ${BREADCRUMBS} in Sentry.init, add them to no scope beside Sentry.addBreadcrumb, and leave their order alone in beforeSend.`,
  judge: ({ evidence }) => {
    const isJavaScript = javaScriptSender(evidence)
    const events = evidence.events.filter((event) => !event.copy && event.breadcrumbs.length > 0 && isJavaScript(event))
    const findings = [...events.flatMap((event) => [...tooMany(event), ...outOfOrder(event)]), ...endTooEarly(events)]
    return verdictOf(events.length, findings, 'No error event of an SDK of the JavaScript family carries breadcrumbs.')
  },
}

const findingOf = (event: SeenEvent, told: Pick<Finding, 'path' | 'actual' | 'expected'>): Finding => ({
  about: event.title,
  at: atEvent(event),
  ...told,
})

function tooMany(event: SeenEvent): readonly Finding[] {
  const { length } = event.breadcrumbs
  if (length <= BREADCRUMBS) return []
  return [
    findingOf(event, { path: 'breadcrumbs', actual: `${length} breadcrumbs`, expected: `at most ${BREADCRUMBS}` }),
  ]
}

/** The first that is older than the one before it, and begins no list of another scope. */
function outOfOrder(event: SeenEvent): readonly Finding[] {
  let before: number | null = null
  let lists = 1
  for (const [index, { timestampUs }] of event.breadcrumbs.entries()) {
    if (timestampUs === null) continue
    if (before !== null && timestampUs < before) {
      lists += 1
      if (lists > SCOPES) {
        const actual = `${toldDuration(before - timestampUs)} before the breadcrumb that precedes it`
        const expected = `the oldest first, in the list of each of ${SCOPES} scopes`
        return [findingOf(event, { path: `breadcrumbs.${index}.timestamp`, actual, expected })]
      }
    }
    before = timestampUs
  }
  return []
}

/** Of the scope whose list is last it may be an old one. */
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
      const actual = `the newest is ${toldDuration(known - last)} older than one that an earlier event of its page carries`
      findings.push(findingOf(event, { path: 'breadcrumbs', actual, expected: 'the newest kept, the oldest dropped' }))
    }
    newest.set(page, Math.max(known ?? last, last))
  }
  return findings
}
