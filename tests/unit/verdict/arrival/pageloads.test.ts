import { describe, expect, it } from 'vitest'
import type { SeenDocument } from '../../../../lib/verdict/arrival/observed'
import { judgePageloads } from '../../../../lib/verdict/arrival/pageloads'
import { isExemptPage } from '../../../../lib/verdict/expectations/expected-telemetry'
import { containerOf, drawn, eventOf } from '../rules/sample-evidence'
import { arrived, observed, opened, pageSpan, posted, reportOf, SHOP } from './observed-test'

const NONE = (): boolean => false

/** The findings of each check that fails, by id, with their severity. */
function found(...given: Parameters<typeof judgePageloads>): Readonly<Record<string, readonly string[]>> {
  const failing = judgePageloads(...given).judged.flatMap(({ id, severity, verdict }) =>
    verdict.verdict === 'fail'
      ? [
          [
            `${severity} ${id}`,
            verdict.findings.map((one) => `${one.about}${one.test ? ` in ${one.test}` : ''}: ${one.actual}`),
          ],
        ]
      : [],
  )
  return Object.fromEntries(failing)
}

describe('documents and pageloads', () => {
  it('pass if each document has a pageload of its test and path, with any query', () => {
    const tests = [observed({ documents: opened('/', '/about?from=mail', '/about') })]
    const evidence = arrived(pageSpan('pageload', '/about'), pageSpan('pageload', '/'), pageSpan('pageload', '/about'))
    const { judged, gaps } = judgePageloads(tests, evidence, NONE)
    expect(gaps).toEqual([])
    expect(judged.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['pageloads', { verdict: 'pass', judged: 3 }],
      ['pageloads-once', { verdict: 'pass', judged: 3 }],
      ['pageloads-sampled', { verdict: 'pass', judged: 3 }],
    ])
  })

  it('name the page that lacks its pageload, and its test', () => {
    const tests = [observed({ documents: opened('/', '/legacy?token=secret') })]
    expect(found(tests, arrived(pageSpan('pageload', '/')), NONE)).toEqual({
      'error pageloads': [`${SHOP}/legacy in shop.spec.ts:8: opened, and no pageload arrived`],
    })
  })

  it('name why the SDK discarded spans of the same test', () => {
    const other = observed({ test: 'b.spec.ts:1', stamp: 'b.spec.ts:1-bb', documents: opened('/') })
    const reports = reportOf(
      ['queue_overflow', 'span', 9],
      ['ratelimit_backoff', 'transaction', 1],
      ['no_parent_span', 'span', 2],
      ['network_error', 'span', 2],
      ['ignored', 'error', 1],
    )
    const evidence = arrived(pageSpan('pageload', '/'), reports)
    expect(found([observed({ documents: opened('/', '/legacy') }), other], evidence, NONE)).toEqual({
      'error pageloads': [
        `${SHOP}/legacy in shop.spec.ts:8: opened, and no pageload arrived: the SDK discarded spans (queue_overflow, ratelimit_backoff)`,
        `${SHOP}/ in b.spec.ts:1: opened, and no pageload arrived`,
      ],
    })
  })

  it('prove nothing about a page that was closed or left before it had sent everything', () => {
    const [left] = opened('/left').map((document) => ({ ...document, hasSent: false }))
    const tests = [observed({ documents: [...(left === undefined ? [] : [left]), ...opened('/', '/legacy')] })]
    const evidence = arrived(pageSpan('pageload', '/'))
    expect(judgePageloads(tests, evidence, NONE).gaps).toEqual([
      `the pageload of ${SHOP}/left did not arrive, and the page was closed or left before it had sent everything, in shop.spec.ts:8`,
    ])
    expect(found(tests, evidence, NONE)).toEqual({
      'error pageloads': [`${SHOP}/legacy in shop.spec.ts:8: opened, and no pageload arrived`],
    })
    // Its pageload may have come under another address.
    const renamed = arrived(pageSpan('pageload', '/'), pageSpan('pageload', '/new'))
    expect(found(tests, renamed, NONE)).toEqual({})
  })

  it('do not count the pageload of another test', () => {
    const tests = [
      observed({ documents: opened('/') }),
      observed({ test: 'b.spec.ts:1', stamp: 'b.spec.ts:1-bb', documents: opened('/') }),
    ]
    const evidence = arrived(pageSpan('pageload', '/'), pageSpan('pageload', '/', { stamp: 'c.spec.ts:1-cc' }))
    expect(found(tests, evidence, NONE)).toEqual({
      'error pageloads': [`${SHOP}/ in b.spec.ts:1: opened, and no pageload arrived`],
    })
  })

  it('count pageloads without a stamp, which were posted straight to the collector', () => {
    const tests = [observed({ documents: opened('/') })]
    expect(found(tests, arrived(pageSpan('pageload', '/', { stamp: null })), NONE)).toEqual({})
  })

  it('count a pageload whose page changed its address', () => {
    const tests = [observed({ documents: opened('/old') })]
    expect(found(tests, arrived(pageSpan('pageload', '/new')), NONE)).toEqual({})
  })

  it.each<NonNullable<SeenDocument['exempt']>>(['redirect', 'left', 'mock', 'no JavaScript', 'error status', 'frame'])(
    'need none for a document that is exempt: %s',
    (exempt) => {
      const tests = [observed({ documents: [...opened('/'), { url: `${SHOP}/other`, exempt, hasSent: true }] })]
      expect(found(tests, arrived(pageSpan('pageload', '/')), NONE)).toEqual({})
      // It may have sent one nevertheless.
      expect(found(tests, arrived(pageSpan('pageload', '/'), pageSpan('pageload', '/other')), NONE)).toEqual({})
    },
  )

  it('need none on pages that the configuration names', () => {
    const tests = [observed({ documents: opened('/', '/legacy/a', '/static') })]
    const evidence = arrived(pageSpan('pageload', '/'))
    const without =
      (...patterns: readonly string[]) =>
      (path: string) =>
        isExemptPage(path, { pages: { without: patterns } })
    expect(found(tests, evidence, without('/legacy/*', '/static'))).toEqual({})
    expect(Object.keys(found(tests, evidence, without('/legacy')))).toEqual(['error pageloads'])
  })

  it('warn of documents that a client report proves to be left out by a sample rate', () => {
    const tests = [observed({ documents: opened('/', '/about') })]
    const evidence = arrived(pageSpan('pageload', '/'), reportOf(['sample_rate', 'span', 7]))
    expect(found(tests, evidence, NONE)).toEqual({
      'warning pageloads-sampled': [
        '1 of 2 pages in shop.spec.ts:8: not sampled, as a client report says: is tracesSampleRate below 1?',
      ],
    })
  })

  it('fail for two pageloads of one document', () => {
    const tests = [observed({ documents: opened('/') })]
    expect(found(tests, arrived(pageSpan('pageload', '/'), pageSpan('pageload', '/')), NONE)).toEqual({
      'error pageloads-once': ['/ in shop.spec.ts:8: 2 pageloads of 1 opened: is Sentry.init called twice?'],
    })
  })

  it('fail for a pageload within a pageload, as a second Sentry.init of one SDK records it', () => {
    const nested = containerOf(
      drawn(`
        pageload /      ====
          pageload /    ====
      `),
    )
    const tests = [observed({ documents: opened('/') })]
    expect(found(tests, arrived({ body: nested, stamp: 'shop.spec.ts:8-aa' }), NONE)).toEqual({
      'error pageloads-once': ['pageload /: within another pageload of the same page: is Sentry.init called twice?'],
    })
  })

  it('fail for navigations that are recorded twice at once, more than once', () => {
    const tests = [observed({ documents: opened('/') })]
    const twice = (path: string, atMs: number) => [
      pageSpan('navigation', path, { atMs }),
      pageSpan('navigation', path, { atMs: atMs + 60 }),
    ]
    const load = pageSpan('pageload', '/')
    expect(found(tests, arrived(load, ...twice('/a', 1000), ...twice('/b', 2000)), NONE)).toEqual({
      'error pageloads-once': ['/a', '/b'].map(
        (path) =>
          `navigation ${path}: recorded twice at once: is Sentry.init called twice, or is there a second copy of the SDK?`,
      ),
    })
    expect(found(tests, arrived(load, ...twice('/a', 1000)), NONE)).toEqual({})
    const slow = [0, 400].map((atMs) => pageSpan('navigation', '/a', { atMs }))
    expect(found(tests, arrived(load, ...slow, ...slow), NONE)).toEqual({})
  })
})

describe('without any pageload', () => {
  it('is incomplete if nothing arrived from a browser, with the likely causes', () => {
    const silent = [observed({ documents: opened('/', '/about') })]
    expect(judgePageloads(silent, arrived(), NONE)).toEqual({
      judged: [],
      gaps: [
        expect.stringMatching(
          /^2 pages opened, nothing arrived from a browser: its pages posted no envelope\. Is Sentry\.init called/,
        ),
      ],
    })
    const refused = [
      observed({ documents: opened('/'), posts: [posted({ status: 404 }), posted({ status: null, failure: 'csp' })] }),
    ]
    expect(judgePageloads(refused, arrived(), NONE).gaps).toEqual([
      expect.stringMatching(
        /^1 page opened, .*: its pages posted 2 envelopes to http:\/\/localhost:3000\/tunnel \(answered: 404, csp\)\. Is the tunnel path right/,
      ),
    ])
  })

  it('names why the SDK discarded all spans', () => {
    const page = eventOf({ request: { url: `${SHOP}/`, headers: { 'User-Agent': 'Mozilla/5.0' } } })
    const evidence = arrived(page, reportOf(['queue_overflow', 'span', 9]))
    expect(found([observed({ documents: opened('/') })], evidence, NONE)).toEqual({
      'warning pageloads': [
        '1 page opened: a browser reported, but no pageload arrived: the SDK discarded spans (queue_overflow)',
      ],
    })
  })

  it('warns if a browser reported anything else, and suggests an expectation', () => {
    const tests = [observed({ documents: opened('/') })]
    const page = { request: { url: `${SHOP}/`, headers: { 'User-Agent': 'Mozilla/5.0' } } }
    const { judged, gaps } = judgePageloads(tests, arrived(eventOf(page)), NONE)
    expect(gaps).toEqual([])
    expect(judged).toEqual([
      expect.objectContaining({
        id: 'pageloads',
        severity: 'warning',
        fix: expect.stringContaining('pageloads: { min: 0 }'),
      }),
    ])
    const { judged: sampled } = judgePageloads(
      tests,
      arrived(eventOf(page), reportOf(['sample_rate', 'span', 4])),
      NONE,
    )
    expect(JSON.stringify(sampled)).toContain('is tracesSampleRate 0?')
  })

  it('judges nothing if no page was opened', () => {
    expect(judgePageloads([observed()], arrived(), NONE)).toEqual({ judged: [], gaps: [] })
  })
})
