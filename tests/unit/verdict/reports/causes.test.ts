import { describe, expect, it } from 'vitest'
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

describe('spans that an SDK discarded', () => {
  const dropped = (loss: string, by = 'discarded by the SDK') =>
    check('losses', [{ about: loss, actual: `9 ${by}` }], { group: 'losses' })
  const missing = (...reasons: readonly string[]) =>
    check(
      'pageloads',
      reasons.map((reason) => ({
        about: '/',
        actual: `opened, and no pageload arrived${reason === '' ? '' : `: the SDK discarded spans (${reason})`}`,
      })),
    )

  it.each(['span, queue_overflow', 'transaction, ratelimit_backoff', 'span, internal_sdk_error'])(
    'are the cause of missing pageloads that name the reason: %s',
    (loss) => {
      const [, reason = ''] = loss.split(', ')
      expect(sorted(missing(reason, `before_send, ${reason}`), dropped(loss))).toEqual([
        'losses',
        `pageloads < ${loss}: 9 discarded by the SDK`,
      ])
      expect(sorted(missing(reason, ''), dropped(loss))).toEqual(['losses', 'pageloads'])
      expect(sorted(missing('ignored'), dropped(loss))).toEqual(['losses', 'pageloads'])
    },
  )

  it('are none for another category, another loser, or a failed post', () => {
    expect(sorted(missing('queue_overflow'), dropped('log_item, queue_overflow'))).toEqual(['pageloads', 'losses'])
    expect(sorted(missing('overflow'), dropped('span, overflow', 'ended here'))).toEqual(['pageloads', 'losses'])
    expect(sorted(missing('network_error'), dropped('span, network_error'))).toEqual(['pageloads', 'losses'])
  })

  it('explain what disappeared from the browser only if its transport was full', () => {
    const gone = check('profile', [{ about: 'browser: spans', actual: 'nothing arrived any more' }])
    expect(sorted(gone, dropped('span, queue_overflow'))[1]).toMatch(/^profile < span, queue_overflow/)
    expect(sorted(gone, dropped('span, ratelimit_backoff'))).toEqual(['losses', 'profile'])
  })
})

it('shows removed trace headers as the cause of a propagation that disappeared', () => {
  const removed = 'no segment of trace a: the server began its own, so no trace headers reached it'
  const gone = check('profile', [{ about: 'trace from browser > shop', actual: 'disappeared' }], { group: 'profile' })
  const requests = (actual: string) => check('server-segments', [{ about: 'GET /', actual }])
  expect(sorted(gone, requests(removed))).toEqual(['server-segments', `profile < GET /: ${removed}`])
  expect(sorted(gone, requests('no segment of trace a'))).toEqual(['server-segments', 'profile'])
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
