import { describe, expect, it } from 'vitest'
import { cacheDurationRule } from '../../../../lib/verdict/rules/cache-duration'
import type { SeenRequest } from '../../../../lib/verdict/rules/rule'
import { caseOf, failing } from './sample-evidence'
import { requestOf } from './sample-request'

const asset = (cacheControl?: string) =>
  requestOf('/_next/static/chunks/app-1f2e.js?dpl=1', {
    answered: cacheControl === undefined ? {} : { 'cache-control': cacheControl },
  })
const judge = (...requests: readonly SeenRequest[]) => cacheDurationRule.judge(caseOf({ requests }))

describe('the cache-duration rule', () => {
  it('passes for one year and immutable', () => {
    const page = requestOf('/lab', { answered: { 'cache-control': 'no-store' } })
    expect(judge(page, asset('public, max-age=31536000, immutable'))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it.each([
    ['public, max-age=3600, immutable', 'public, max-age=3600, immutable'],
    ['public, max-age=31536000', 'public, max-age=31536000'],
    ['public, s-maxage=31536000, immutable', 'public, s-maxage=31536000, immutable'],
    [undefined, 'no Cache-Control header'],
  ])('fails for Cache-Control %s', (cacheControl, actual) => {
    expect(judge(asset(cacheControl))).toEqual(
      failing(1, {
        about: 'GET http://localhost:3000/_next/static/chunks/app-1f2e.js',
        at: null,
        path: 'answer.headers.cache-control',
        actual,
        expected: 'public, max-age=31536000, immutable',
      }),
    )
  })

  it.each([
    ['a script of another origin', requestOf('https://widget.example/_next/static/a.js')],
    ['a file loaded by a frame of another origin', { ...asset('no-store'), isEmbedded: true }],
  ])('checks files of the own origin, not %s', (_, other) => {
    expect(judge(asset('public, max-age=31536000, immutable'), other)).toEqual({ verdict: 'pass', judged: 1 })
    expect(judge(other).verdict).toBe('incomplete')
  })

  it('is incomplete with next dev, which forbids caching', () => {
    const why = 'The pages were served by next dev, which forbids caching of assets.'
    const hot = requestOf('ws://localhost:3000/_next/webpack-hmr?id=x')
    expect(judge(hot, asset('no-store, must-revalidate'))).toEqual({ verdict: 'incomplete', why })
  })

  it('is incomplete without answered assets and without observed requests', () => {
    const why = 'The browser requested no asset below /_next/static on the page’s origin.'
    expect(judge({ ...asset('no-store'), answer: null })).toEqual({ verdict: 'incomplete', why })
    expect(cacheDurationRule.judge(caseOf()).verdict).toBe('incomplete')
  })
})
