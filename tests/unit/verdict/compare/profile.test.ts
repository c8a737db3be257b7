import { describe, expect, it } from 'vitest'
import { countEvidence } from '../../../../lib/verdict/compare/count-evidence'
import { keyOf, learn, profileText, readProfile } from '../../../../lib/verdict/compare/profile'
import { type Came, clientReportOf, envelopeOf, eventOf, evidenceOf } from '../rules/sample-evidence'
import { shopRun } from './shop-run'

const ROUTE = keyOf({ group: 'browser', section: 'routes', name: 'pageload /' })
const OTHER = keyOf({ group: 'browser', section: 'routes', name: 'pageload /rare' })
const counts = (...given: readonly (readonly [string, number])[]) => new Map(given)

describe('a profile', () => {
  it('widens counts to half and double, and requires what was seen once', () => {
    const { ranges, runs } = learn(null, 'make', counts([ROUTE, 7], [OTHER, 1]))
    expect([runs, ranges.get(ROUTE), ranges.get(OTHER)]).toEqual([1, { least: 3, most: 14 }, { least: 1, most: 2 }])
  })

  it('grows its ranges with each run, and does not require what one run lacks', () => {
    let profile = learn(null, 'make', counts([ROUTE, 4]))
    profile = learn(profile, 'make', counts([ROUTE, 10], [OTHER, 2]))
    expect([profile.runs, profile.ranges.get(ROUTE)]).toEqual([2, { least: 2, most: 20 }])
    expect(profile.ranges.get(OTHER)).toEqual({ least: 0, most: 4 })
    expect(learn(profile, 'make', counts([OTHER, 1])).ranges.get(ROUTE)).toEqual({ least: 0, most: 20 })
  })

  it('is written readably, and read back', () => {
    const profile = learn(null, 'npm test', countEvidence(shopRun(1)))
    const text = profileText(profile)
    expect(text).toContain('"runs": 1')
    expect(text).toMatch(
      /"routes": \{\n\s+"pageload \/": "1-2",\n\s+"pageload \/checkout": "1-4",\n\s+"pageload \/orders\/\*": "1-2"/,
    )
    expect(text).toContain('"browser > server": ')
    expect(text).toContain('"shop@*.*.*": ')
    const read = readProfile(text)
    expect(read.ok && read.value.command).toBe('npm test')
    expect(read.ok && new Map([...read.value.ranges].sort())).toEqual(new Map([...profile.ranges].sort()))
  })

  it('is written for a service with any name', () => {
    const key = keyOf({ group: '__proto__', section: 'routes', name: 'pageload /' })
    expect(profileText(learn(null, 'make', counts([key, 1])))).toContain('"__proto__": {')
    expect(Object.hasOwn(Object.prototype, 'routes')).toBe(false)
  })

  it.each([
    ['{"version":', /^it is not valid JSON \(/],
    ['{}', /^it is not a profile: version: /],
    ['{"version":2,"new":true}', /^it has version 2; this Waystation reads version 1: update Waystation$/],
    [
      '{"version":1,"command":"a","runs":1,"seen":{"all":{"colours":{"red":"1-2"}}}}',
      /seen\.all\.colours is not a section$/,
    ],
    [
      '{"version":1,"command":"a","runs":1,"seen":{"all":{"items":{"error":"many"}}}}',
      /^it is not a profile: seen\.all\.items\.error: /,
    ],
    ['{"version":1,"command":"a","runs":0,"seen":{}}', /^it is not a profile: runs: /],
  ])('refuses %s', (text, message) => {
    const read = readProfile(text)
    expect(read.ok ? '' : read.error).toMatch(message)
  })
})

describe('the counts of a run', () => {
  const names = (...bodies: readonly Came[]) =>
    [...countEvidence(evidenceOf(...bodies))].map(([key, count]) => `${key.replaceAll('\t', '/')} ${count}`)

  it('leave out copies', () => {
    expect(names({ body: eventOf(), endpoint: 'stream' })).toEqual([])
  })

  it('name the reasons of client reports, but not their numbers', () => {
    expect(names(clientReportOf(['before_send', 'error', 5], ['sample_rate', 'span', 2]))).toEqual([
      'all/discards/before_send error 1',
      'all/discards/sample_rate span 1',
    ])
  })

  it('replace ids in names and numbers in releases', () => {
    const release = 'shop@4f2a9c1d7e'
    const found = names(eventOf({ release, environment: undefined, user: { id: 'u1', email: null } }))
    expect(found).toContain('browser/releases/shop@* 1')
    expect(found).toContain('browser/environments/(none) 1')
    expect(found).toContain('browser/personalData/user.id 1')
    expect(found.filter((name) => name.includes('email'))).toEqual([])
  })

  it('leave out spans that depend on the machine', () => {
    const span = (op: string, index: number) => ({
      op,
      span_id: index.toString(16).padStart(16, '0'),
      trace_id: 'a'.repeat(32),
      start_timestamp: 1,
      timestamp: 2,
    })
    const ops = [
      'ui.long_animation_frame',
      'ui.long-task',
      'ui.webvital.lcp',
      'resource.css',
      'browser.cache',
      'mark',
      'markdown',
    ]
    const trace = { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16), op: 'pageload' }
    const transaction = {
      type: 'transaction',
      platform: 'javascript',
      transaction: '/',
      start_timestamp: 1,
      timestamp: 2,
      contexts: { trace },
      spans: ops.map(span),
    }
    const found = names(envelopeOf({}, [{ type: 'transaction' }, transaction]))
    expect(found.filter((name) => name.includes('/operations/'))).toEqual([
      'browser/operations/markdown 1',
      'browser/operations/pageload 1',
    ])
  })

  it('contain no secrets, because the file is committed', () => {
    const category = 'password=hunter2secret'
    const found = names(eventOf({ breadcrumbs: [{ category }] })).join()
    expect(found).toContain('browser/breadcrumbs/')
    expect(found).not.toContain('hunter2secret')
  })

  it('keep 500 names of a section, and count the others together', () => {
    const breadcrumbs = Array.from({ length: 60 }, (_, index) => ({ category: `c${String(index).padStart(4, '0')}` }))
    const events = Array.from({ length: 10 }, (_, event) =>
      eventOf({
        event_id: event.toString(16).padStart(32, '0'),
        breadcrumbs: breadcrumbs.map(({ category }) => ({ category: `${event}-${category}` })),
      }),
    )
    const kept = names(...events).filter((name) => name.includes('/breadcrumbs/'))
    expect(kept).toHaveLength(501)
    expect(kept.at(-1)).toBe('browser/breadcrumbs/(other names) 100')
  })

  it('name the endpoint of each service', () => {
    const body = envelopeOf({ sdk: { name: 'sentry.javascript.node' } }, [
      { type: 'event' },
      { event_id: 'a'.repeat(32), platform: 'node', message: 'hello', level: 'info' },
    ])
    expect(names({ body, endpoint: 'envelope' })).toContain('server/intake/envelope 1')
  })
})
