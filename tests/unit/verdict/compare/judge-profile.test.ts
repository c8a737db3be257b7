import { describe, expect, it } from 'vitest'
import { countEvidence } from '../../../../lib/verdict/compare/count-evidence'
import { compareWithProfile, judgeProfile } from '../../../../lib/verdict/compare/judge-profile'
import { learn, type Profile } from '../../../../lib/verdict/compare/profile'
import { evidenceOf, failingWith } from '../rules/sample-evidence'
import { type Shop, shopRun } from './shop-run'

const COMMAND = 'npx playwright test'

function learned(seeds: readonly number[], settings: Partial<Shop> = {}): Profile {
  let profile: Profile | null = null
  for (const seed of seeds) profile = learn(profile, COMMAND, countEvidence(shopRun(seed, settings)))
  if (profile === null) throw new Error('no run was learned')
  return profile
}

const lostBy = (settings: Partial<Shop>, seed = 77): readonly string[] =>
  compareWithProfile(countEvidence(shopRun(seed, settings)), learned([1, 2, 3])).lost.map(
    ({ about, actual }) => `${about} ${actual}`,
  )

describe('a profile of three green runs', () => {
  it.each([0, 1000, 2000])('passes twenty more runs of the unchanged app (seeds from %i)', (first) => {
    const profile = learned([first + 1, first + 2, first + 3])
    for (let run = 0; run < 20; run += 1) {
      const { lost, changed } = compareWithProfile(countEvidence(shopRun(first + 10 + run)), profile)
      expect({ run, lost, changed }).toEqual({ run, lost: [], changed: [] })
    }
  })

  it('passes twenty more runs of an app that samples by choice', () => {
    const settings = { serverRate: 1, discards: [['sample_rate', 'span', 3]] as const }
    const profile = learned([1, 2, 3], settings)
    for (let run = 0; run < 20; run += 1)
      expect(compareWithProfile(countEvidence(shopRun(10 + run, settings)), profile).lost).toEqual([])
  })

  it.each<[string, Partial<Shop>, string]>([
    [
      'no browser tracing',
      { pageloads: false },
      'browser: spans nothing arrived any more: no browser pageloads any more: is browserTracingIntegration enabled',
    ],
    [
      'a browser SDK that is off',
      { browser: false },
      'browser: telemetry nothing arrived any more: is the browser SDK enabled',
    ],
    [
      'a server SDK that is not started',
      { server: false },
      'server: telemetry nothing arrived any more: is Sentry.init called in the server',
    ],
    [
      'no breadcrumbs',
      { breadcrumbs: [] },
      'browser: breadcrumbs nothing arrived any more: events have no breadcrumbs any more: is maxBreadcrumbs 0',
    ],
    [
      'no breadcrumbs of one category',
      { breadcrumbs: ['ui.click', 'navigation'] },
      'browser: breadcrumbs of category fetch disappeared: no breadcrumbs of category fetch',
    ],
    [
      'an unused tunnel',
      { endpoint: 'envelope' },
      'browser: intake endpoint tunnel disappeared: tunnel no longer used: the DSN posts straight to the collector',
    ],
    [
      'no trace headers',
      { propagates: false },
      'trace from browser > server disappeared: trace headers no longer reach the server: does tracePropagationTargets',
    ],
    ['a missing release', { release: undefined }, 'release missing: set release in Sentry.init'],
    [
      'a missing environment, which SDK 11 fills in',
      { environment: 'production' },
      'browser: environment test disappeared: environment production instead of test; SDK 11 fills in production',
    ],
    [
      'an environment that is misspelt',
      { environment: 'tset' },
      'browser: environment test disappeared: environment tset instead of test',
    ],
    [
      'beforeSend that returns null',
      { errors: false, discards: [['before_send', 'error', 1]] },
      'browser: errors nothing arrived any more: the SDK reports before_send: does beforeSend return null?',
    ],
    [
      'ignoreErrors that matches everything',
      { errors: false, discards: [['event_processor', 'error', 1]] },
      'does ignoreErrors match everything?',
    ],
    [
      'ignoreErrors of later SDKs',
      { errors: false, discards: [['ignored', 'error', 1]] },
      'does ignoreErrors match everything?',
    ],
    [
      'errors that are sampled',
      { errors: false, discards: [['sample_rate', 'error', 1]] },
      'is sampleRate, the rate of errors, below 1?',
    ],
    [
      'sampled errors without client reports',
      { errors: false },
      'browser: errors nothing arrived any more: do beforeSend, ignoreErrors or sampleRate discard them',
    ],
    [
      'a sample rate of 0',
      { pageloads: false, discards: [['sample_rate', 'span', 9]] },
      'tracesSampleRate above 0? (the SDK reports discards: sample_rate span)',
    ],
    [
      'a browser rate of 0.5 with client reports',
      { browserRate: 0.5, discards: [['sample_rate', 'span', 4]] },
      'browser: sample rate 1 disappeared: browser sampling 0.5',
    ],
    [
      'a browser rate of 0.5 without client reports',
      { browserRate: 0.5 },
      'browser: sample rate 1 disappeared: browser sampling 0.5',
    ],
    ['a server rate of 0.5', { serverRate: 0.5 }, 'server: sample rate 1 disappeared: server sampling 0.5'],
    ['personal data', { personal: true }, 'browser: personal data infer_ip: auto 5, which is new: is setUser used'],
    [
      'onRequestError that is not exported',
      { requestErrors: false },
      'server: errors nothing arrived any more: is onRequestError exported',
    ],
  ])('finds %s, and names the likely cause', (_name, settings, found) => {
    expect(lostBy(settings).join('\n')).toContain(found)
  })

  it('accepts twice the telemetry, and reports three times as much', () => {
    const { lost, changed } = compareWithProfile(countEvidence(shopRun(1, { doubled: true })), learned([1]))
    expect(lost).toEqual([])
    expect(changed).toEqual([])
    const thrice = new Map([...countEvidence(shopRun(1))].map(([key, count]) => [key, 3 * count]))
    expect(compareWithProfile(thrice, learned([1])).changed).toContainEqual(
      expect.objectContaining({ about: 'browser: operation http.client', actual: '12', expected: '2-8' }),
    )
  })

  it('reports a lost service once, and not each of its routes', () => {
    expect(lostBy({ server: false })).toHaveLength(1)
    expect(lostBy({ pageloads: false })).toHaveLength(1)
  })
})

describe('the checks of a profile', () => {
  const profile = learned([1, 2, 3])
  const verdicts = (relation: Parameters<typeof judgeProfile>[2], settings: Partial<Shop> = {}) =>
    judgeProfile(countEvidence(shopRun(9, settings)), profile, relation).map(({ id, severity, verdict }) => [
      id,
      severity,
      verdict.verdict,
    ])

  it('fail for what disappeared, and only warn for another command and for the last green run', () => {
    expect(verdicts('same command')).toEqual([
      ['profile', 'error', 'pass'],
      ['profile-changes', 'warning', 'pass'],
    ])
    expect(verdicts('same command', { server: false })[0]).toEqual(['profile', 'error', 'fail'])
    expect(verdicts('other command', { server: false })[0]).toEqual(['profile', 'warning', 'fail'])
    expect(verdicts('previous', { server: false })).toEqual([['last-green-run', 'warning', 'fail']])
  })

  it('do not judge what disappeared after a failed program, but what is new', () => {
    const judge = (settings: Partial<Shop>) =>
      judgeProfile(countEvidence(shopRun(9, settings)), profile, 'same command', 'The program ended with code 1')
    expect(judge({ server: false }).map(({ verdict }) => verdict)).toMatchObject([
      {
        verdict: 'incomplete',
        why: 'The program ended with code 1, so it may have sent less, and what disappeared is not judged.',
      },
      { verdict: 'pass' },
    ])
    expect(judge({ server: false, personal: true })[0]?.verdict).toMatchObject({
      verdict: 'fail',
      found: 2,
    })
  })

  it('report what is new as a warning', () => {
    const before = learned([1, 2, 3], { breadcrumbs: ['fetch'] })
    const [lost, changed] = judgeProfile(
      countEvidence(shopRun(9, { breadcrumbs: ['fetch', 'xhr'] })),
      before,
      'same command',
    )
    expect(lost?.verdict.verdict).toBe('pass')
    expect(changed?.verdict).toMatchObject(
      failingWith({ about: 'browser: breadcrumbs of category xhr', actual: '1, which is new' }),
    )
  })

  const crumbs = (count: number) => ({ breadcrumbs: Array.from({ length: count }, () => 'fetch') })
  it.each([
    [34, 10, true],
    [34, 25, true],
    [34, 26, false],
    [14, 10, true],
    [13, 10, false],
    [10, 34, false],
    [1, 1, false],
  ])('of errors with %i breadcrumbs warn about %i: %s', (before, now, isNamed) => {
    const { lost, changed } = compareWithProfile(
      countEvidence(shopRun(9, crumbs(now))),
      learned([1, 2], crumbs(before)),
    )
    const named = changed.filter(({ actual }) => actual.includes('maxBreadcrumbs'))
    expect(named).toEqual(
      isNamed
        ? [
            expect.objectContaining({
              about: 'browser: longest list of breadcrumbs',
              actual: `errors have at most ${now} breadcrumbs, ${before} before: is maxBreadcrumbs lower?`,
            }),
          ]
        : [],
    )
    expect(lost).toEqual([])
  })

  it.each([
    [
      'a lower maximum, if all categories have fewer',
      4,
      'errors have at most 4 breadcrumbs, 14 before: is maxBreadcrumbs lower?',
    ],
    ['an option that is off, if the others are as before', 10, 'no breadcrumbs of category fetch: is that option'],
  ])('name as the cause of a missing category %s', (_cause, clicks, text) => {
    const listOf = (count: number, ...others: readonly string[]) => ({
      breadcrumbs: [...others, ...Array.from({ length: count }, () => 'ui.click')],
    })
    const before = learned([1, 2], listOf(10, 'fetch', 'fetch', 'fetch', 'fetch'))
    const { lost } = compareWithProfile(countEvidence(shopRun(9, listOf(clicks))), before)
    expect(lost).toEqual([expect.objectContaining({ actual: expect.stringContaining(`disappeared: ${text}`) })])
  })

  it('name the cause of new overflows', () => {
    const { changed } = compareWithProfile(
      countEvidence(shopRun(9, { discards: [['queue_overflow', 'error', 2]] })),
      learned([1, 2]),
    )
    expect(changed).toMatchObject([{ actual: expect.stringContaining('is its bufferSize small') }])
  })

  it('do not report the longest list of breadcrumbs as new in a profile without it', () => {
    const { ranges, ...rest } = learned([1, 2])
    const older = { ...rest, ranges: new Map([...ranges].filter(([key]) => !key.includes('\tlongest\t'))) }
    expect(older.ranges.size).toBe(ranges.size - 1)
    expect(compareWithProfile(countEvidence(shopRun(9)), older)).toEqual({ lost: [], changed: [] })
  })

  it('are incomplete for an empty run', () => {
    const judged = judgeProfile(countEvidence(evidenceOf()), profile, 'same command')
    expect(judged.map(({ verdict }) => verdict.verdict)).toEqual(['incomplete', 'incomplete'])
  })
})
