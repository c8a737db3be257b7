import { expect, it } from 'vitest'
import type { Judged } from '../../../../lib/verdict/expectations/report'
import { causesFirst } from '../../../../lib/verdict/reports/causes'
import type { Finding } from '../../../../lib/verdict/verdict'
import { failing, finding, judged, report } from './sample-reports'

const check = (id: string, findings: readonly Partial<Finding>[], given: Partial<Judged> = {}): Judged =>
  judged({ id, group: 'arrival', verdict: failing(findings.map((one) => finding({ at: null, ...one }))), ...given })
/** Ids, severities and causes, in order. */
const sorted = (...checks: readonly Judged[]) =>
  causesFirst(report({ verdict: 'fail', judged: checks })).judged.map(({ id, severity, follows }) =>
    [id, ...(severity === 'error' ? [] : [severity]), ...(follows === undefined ? [] : [follows])].join(' < '),
  )

const orphan = check('orphans', [{}], { group: 'contract' })
const refused = (test: string) => ({ about: 'POST /tunnel', actual: 'an envelope was answered 404', test })

it('shows refused posts first, and missing pageloads of the same tests as their consequence', () => {
  const posts = check('envelope-posts', [refused('one'), refused('two')])
  const missing = (test: string) =>
    check('pageloads', [{ about: '/', actual: 'opened, and no pageload arrived', test }])
  const losses = check('losses', [{ about: 'span, network_error' }], { group: 'losses' })
  const cause = 'POST /tunnel: an envelope was answered 404'
  expect(sorted(orphan, losses, missing('two'), posts)).toEqual([
    'envelope-posts',
    `pageloads < ${cause}`,
    `losses < ${cause}`,
    'orphans',
  ])
  expect(sorted(missing('three'), posts)).toEqual(['envelope-posts', 'pageloads'])
})

it('shows spans that the browser dropped as the cause of missing pageloads', () => {
  const dropped = (category: string) =>
    check('losses', [{ about: `${category}, queue_overflow`, actual: '9 discarded by the SDK' }], { group: 'losses' })
  const missing = check('pageloads', [{ about: '/', actual: 'opened, and no pageload arrived' }])
  expect(sorted(missing, dropped('span'))).toEqual([
    'losses',
    'pageloads < span, queue_overflow: 9 discarded by the SDK',
  ])
  expect(sorted(missing, dropped('log_item'))).toEqual(['pageloads', 'losses'])
})

it('shows a server that sends nothing as the failure, and what it did not record as the consequence', () => {
  const silent = { about: '3 requests', actual: 'nothing arrived from a server: is Sentry.init called in it?' }
  const unrecorded = check('unrecorded-requests', [silent], { severity: 'warning' })
  const silence = '3 requests: nothing arrived from a server: is Sentry.init called in it?'
  expect(sorted(orphan, check('server-segments', [{}]), check('server-errors', [{}]), unrecorded)).toEqual([
    'unrecorded-requests',
    `server-segments < ${silence}`,
    `server-errors < ${silence}`,
    'orphans',
  ])
  expect(sorted(unrecorded)).toEqual(['unrecorded-requests < warning'])
})

it('leaves a check alone of which only a part follows from a cause', () => {
  const gone = { about: 'server: telemetry', actual: 'nothing arrived any more' }
  const mixed = check('profile', [gone, { about: 'browser: route /', actual: 'disappeared' }], { group: 'profile' })
  expect(sorted(check('server-segments', [{}]), mixed)).toEqual([
    'profile',
    'server-segments < server: telemetry: nothing arrived any more',
  ])
  expect(sorted(check('envelope-posts', [refused('one')]), mixed)).toEqual(['envelope-posts', 'profile'])
})

it('reports an unhandled error once, unless unexpected errors only warn', () => {
  const at = { seq: 1, item: 0, eventId: 'e'.repeat(32) }
  const unhandled = check('unhandled-errors', [{ at }], { group: 'contract' })
  const unexpected = (severity: Judged['severity']) =>
    check('errors', [{ at, actual: 'error' }], { group: 'errors', severity })
  expect(sorted(unhandled, unexpected('error'))).toEqual([
    'errors',
    'unhandled-errors < TypeError: x is not a function: error',
  ])
  expect(sorted(unhandled, unexpected('warning'))).toEqual(['errors < warning', 'unhandled-errors'])
})
