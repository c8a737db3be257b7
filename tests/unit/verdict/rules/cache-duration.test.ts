import { describe, expect, it } from 'vitest'
import { cacheDurationRule } from '../../../../lib/verdict/rules/cache-duration'
import type { SeenRequest } from '../../../../lib/verdict/rules/rule'
import { caseOf } from './sample-evidence'
import { requestOf } from './sample-request'

const asset = (kept?: string) =>
  requestOf('/_next/static/chunks/app-1f2e.js?dpl=1', { answered: kept === undefined ? {} : { 'cache-control': kept } })
const judge = (...requests: readonly SeenRequest[]) => cacheDurationRule.judge(caseOf({ requests }))

describe('the cache duration', () => {
  it('is a year for what never changes', () => {
    const page = requestOf('/lab', { answered: { 'cache-control': 'no-store' } })
    expect(judge(page, asset('public, max-age=31536000, immutable'))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it.each([
    ['public, max-age=3600, immutable', 'public, max-age=3600, immutable'],
    ['public, max-age=31536000', 'public, max-age=31536000'],
    ['public, s-maxage=31536000, immutable', 'public, s-maxage=31536000, immutable'],
    [undefined, 'no such header'],
  ])('is not %s', (kept, seen) => {
    expect(judge(asset(kept))).toEqual({
      verdict: 'fail',
      judged: 1,
      found: 1,
      findings: [
        {
          about: 'GET http://localhost:3000/_next/static/chunks/app-1f2e.js',
          at: null,
          path: 'answer.headers.cache-control',
          actual: seen,
          expected: 'public, max-age=31536000, immutable',
        },
      ],
    })
  })

  it.each([
    ['a script of another origin', requestOf('https://widget.example/_next/static/a.js')],
    ['what a frame of another origin loads', { ...asset('no-store'), isEmbedded: true }],
  ])('is that of the own origin’s files, and not of %s', (_, other) => {
    expect(judge(asset('public, max-age=31536000, immutable'), other)).toEqual({ verdict: 'pass', judged: 1 })
    expect(judge(other).verdict).toBe('incomplete')
  })

  it('cannot be judged of next dev, which lets nothing be kept', () => {
    const why = 'The pages were served by next dev, which lets no asset be kept.'
    const hot = requestOf('ws://localhost:3000/_next/webpack-hmr?id=x')
    expect(judge(hot, asset('no-store, must-revalidate'))).toEqual({ verdict: 'incomplete', why })
  })

  it('cannot be judged without an asset that was answered, or where nobody watched', () => {
    const why = 'The browser asked for no asset below /_next/static of the page’s own origin.'
    expect(judge({ ...asset('no-store'), answer: null })).toEqual({ verdict: 'incomplete', why })
    expect(cacheDurationRule.judge(caseOf()).verdict).toBe('incomplete')
  })
})
