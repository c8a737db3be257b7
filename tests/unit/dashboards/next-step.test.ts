import { expect, it } from 'vitest'
import { nextStep } from '../../../dashboards/home/next-step'
import { STORE_AWAY } from '../cli/sample-store'
import { limitOf, upstreamOf } from './status-samples'

type Known = Parameters<typeof nextStep>[0]

const NOW = 10_000
const paused = upstreamOf({ state: 'paused', paused: { since: 1, status: 401, answer: null }, retryAt: 70_000 })
const program = {
  ...{ service: 'server', sdk: 'sentry.javascript.node 11.8.0', project: '1', release: null, environment: 'dev' },
  ...{ lastSeen: NOW, problems: [{ found: 'no release', fix: 'Set release in Sentry.init.' }] },
}
const lost = (reason: string, quantity: number, by: 'sdk' | 'upstream' = 'sdk') => ({
  ...{ category: 'span', reason, by, quantity },
})

/** Each problem alone, the most urgent first. */
const PROBLEMS = [
  ['a paused upstream', { upstreams: [paused] }, '/deliveries', 'It refuses the key: answered 401'],
  [
    'stranded envelopes',
    { stranded: [{ publicKey: 'abcdefgh', project: '7', records: 3 }] },
    '/storage',
    '3 envelopes are pending for project 7',
  ],
  ['trouble with the disk', { diskTrouble: 'the disk is full' }, '/storage', 'the disk is full. Raise'],
  [
    'a limit in force',
    { limits: [limitOf({ category: 'log_item', receivedAt: 0, until: NOW + 38_000 })] },
    '/limits',
    'Upstream limits log_item for another 38 s',
  ],
  [
    'dead letters',
    { upstreams: [upstreamOf({ deadLetters: 1 })] },
    '/deliveries?show=dead-letters',
    '1 dead letter waits for a decision. Upstream refused this envelope',
  ],
  [
    'a full queue of an SDK',
    { losses: [lost('queue_overflow', 206)] },
    '/losses',
    '206 spans lost before sending in the last 15 minutes: the queue of the SDK was full. Send fewer requests',
  ],
  [
    'failed requests of an SDK',
    { losses: [lost('network_error', 1)] },
    '/losses',
    '1 span lost before sending in the last 15 minutes: the request failed',
  ],
  [
    'a misconfigured program',
    { programs: [{ ...program, problems: [] }, program] },
    '/contract',
    'server (sentry.javascript.node 11.8.0) sends no release. Set release',
  ],
] as const

const known = (given: object): Known => {
  const { diskTrouble = null, losses = [], programs = [], ...overview } = given as Partial<Known>
  const fine = { upstreams: [upstreamOf()], stranded: [], limits: [], isShown: false, ...overview }
  return { overview: fine, diskTrouble, losses, programs, nowMs: NOW }
}

it.each(PROBLEMS)('%s is the next thing to do', (_name, given, href, text) => {
  const step = nextStep(known(given))
  expect(step?.action.href).toBe(href)
  expect(step?.text).toContain(text)
})

it.each(PROBLEMS.slice(0, -1).map(([name], at) => [name, at] as const))(
  '%s comes before what is less urgent',
  (_, at) => {
    const givens = PROBLEMS.slice(at).map(([, given]) => given as Readonly<Record<string, readonly unknown[] | string>>)
    const all: Record<string, unknown> = {}
    for (const given of givens)
      for (const [name, value] of Object.entries(given))
        all[name] = typeof value === 'string' ? value : [...((all[name] as readonly unknown[]) ?? []), ...value]
    expect(nextStep(known(all))?.text).toContain(PROBLEMS[at]?.[3])
  },
)

it('is nothing when all is well, in a saved run, after a limit, and for a loss upstream', () => {
  expect(nextStep(known({}))).toBeNull()
  expect(nextStep(known({ upstreams: [paused], isShown: true }))).toBeNull()
  expect(nextStep(known({ limits: [limitOf({ category: 'span', receivedAt: 0, until: NOW })] }))).toBeNull()
  expect(nextStep(known({ losses: [lost('queue_overflow', 2, 'upstream')] }))).toBeNull()
})

it('a store that is away is no reason for another disk budget', () => {
  const { usage: _, unmeasured: __, counts: ___, ...store } = STORE_AWAY
  const overview = { upstreams: [], stranded: [], limits: [], isShown: false, store }
  const known = { overview, diskTrouble: STORE_AWAY.away, losses: [], programs: [], nowMs: NOW }
  expect(nextStep(known)?.text).toMatch(/is away: .* Is PostgreSQL running, and can this collector reach it\?$/)
  const full = { ...known, overview: { ...overview, store: { ...store, away: null } }, diskTrouble: 'it is full' }
  expect(nextStep(full)?.text).toBe('it is full.')
})
