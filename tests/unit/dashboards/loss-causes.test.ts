import { expect, it } from 'vitest'
import { keyOf, reportedBy } from '../../../dashboards/losses/use-loss-sources'
import { DISCARD_REASONS, isChosen } from '../../../lib/protocol/outcome'
import { adviceFor, causeText } from '../../../lib/wire/loss-advice'
import type { SignalRow } from '../../../lib/wire/signal'

it('each loss of an SDK has advice of its own', () => {
  const lost = DISCARD_REASONS.filter((reason) => !isChosen(reason))
  const texts = lost.map((reason) => adviceFor({ by: 'sdk', reason }).text)
  expect(new Set(texts).size).toBe(lost.length)
  expect(adviceFor({ by: 'sdk', reason: 'of_tomorrow' })).toMatchObject({ link: { label: 'client reports' } })
  expect(adviceFor({ by: 'sdk', reason: 'ratelimit_backoff' }).link?.href).toBe('/limits')
})

it.each([
  ['waystation', 'limited', /ends on its own/, '/limits'],
  ['waystation', 'backlog_full', /WAYSTATION_MAX_DISK/, '/storage'],
  ['waystation', 'of_tomorrow', /timeline/, '/deliveries?show=attempts'],
  ['upstream', 'upstream_429', /quota/, '/limits'],
  ['upstream', 'upstream_413', /smaller envelopes/, '/deliveries?show=attempts'],
  ['upstream', 'upstream_418', /answer of upstream/, '/deliveries?show=attempts'],
  ['person', 'cleared', /A person decided/, undefined],
] as const)('a loss by %s for %s has advice', (by, reason, text, href) => {
  const advice = adviceFor({ by, reason })
  expect(advice.text).toMatch(text)
  expect(advice.link?.href).toBe(href)
})

it('a refusal is split into its cause and the advice', () => {
  const refusal = { by: 'endpoint', reason: 'unknown_project' } as const
  expect([causeText(refusal), adviceFor(refusal).text]).toEqual([
    'Unknown key or project',
    'Use the local DSN of the board Live.',
  ])
  const odd = { by: 'endpoint', reason: 'too_odd' } as const
  expect([causeText(odd), adviceFor(odd).text]).toEqual(['Too odd', 'The collector’s log says more.'])
})

it('a loss names the programs that reported it, and the last time; copies count once', () => {
  const row = (service: string | null, receivedAt: number, copy: SignalRow['copy'] = 'no'): SignalRow => ({
    ...{ kind: 'client_report', key: `${receivedAt}`, journal: 1, seq: 1, item: 0, receivedAt, timestampUs: 0 },
    ...{ traceId: null, spanId: null, eventId: null, name: '', level: null, service, environment: null, release: null },
    ...{ copy, deliveryStatus: { name: 'accepted', reason: null } },
    fields: { reason: 'queue_overflow', category: 'metric', quantity: 2 },
  })
  const rows = [row('server', 7), row('browser', 9), row('browser', 3), row(null, 4), row('other', 11, 'only')]
  const reported = reportedBy([...rows, { ...row('server', 20), fields: {} }])
  expect([...reported]).toEqual([
    [
      keyOf({ by: 'sdk', reason: 'queue_overflow', category: 'trace_metric' }),
      { programs: ['browser', 'server'], lastAt: 9 },
    ],
  ])
})
