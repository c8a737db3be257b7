import { expect, it } from 'vitest'
import { judgePosts, refusedPost } from '../../../../lib/verdict/arrival/envelope-posts'
import type { SeenPost } from '../../../../lib/verdict/arrival/observed'
import { type Came, envelopeOf } from '../rules/sample-evidence'
import { arrived, observed, posted } from './observed-test'

const SENT_AT = '2026-11-18T00:00:00.000Z'
const body = envelopeOf({ event_id: 'e'.repeat(32), sent_at: SENT_AT }, [{ type: 'session' }, { sid: '1' }])
const sent = (given: Partial<SeenPost> = {}): SeenPost => posted({ bytes: body.length, ...given })

/** The findings about these posts; `null` if nothing is judged. */
function found(posts: readonly SeenPost[], ...came: readonly Came[]): readonly string[] | null {
  const {
    judged: [judged],
  } = judgePosts([observed({ posts: [...posts] })], arrived(...came))
  if (judged === undefined) return null
  return judged.verdict.verdict === 'fail' ? judged.verdict.findings.map(({ actual }) => actual) : []
}

it('passes envelopes that were answered 2xx and arrived', () => {
  expect(found([sent()], body)).toEqual([])
  expect(found([], body)).toBeNull()
})

it('fails for refused posts with the sentence of the answer', () => {
  expect(found([sent({ status: 403, sentence: 'unknown key' })])).toEqual(['an envelope was answered 403: unknown key'])
  expect(found([sent({ status: 404 })], body)).toEqual(['an envelope was answered 404'])
  expect(found([sent({ status: null, failure: 'csp' })])).toEqual(['an envelope was not answered (csp)'])
})

it('says that there is no tunnel if pages post to the address of a DSN where nothing listens', () => {
  const direct = 'http://127.0.0.1:9/api/1/envelope/?sentry_key=local'
  const failure = 'net::ERR_CONNECTION_REFUSED'
  const found = (given: Partial<SeenPost>) => refusedPost(posted({ status: null, failure, ...given }), 'a test').actual
  expect(found({ url: direct })).toBe(
    `an envelope was not answered (${failure}): the page has no tunnel, and nothing listens at the address of its DSN: is the option tunnel missing in Sentry.init?`,
  )
  const plain = `an envelope was not answered (${failure})`
  expect(found({})).toBe(plain)
  expect(found({ url: direct, pageUrl: 'http://127.0.0.1:9/' })).toBe(plain)
  expect(found({ url: direct, failure: 'net::ERR_BLOCKED_BY_CLIENT' })).not.toContain('no tunnel')
})

it('proves nothing by a post of a page that was closed or left, and that did not arrive', () => {
  expect(found([sent({ status: null })], body)).toEqual([])
  expect(found([sent({ status: null })])).toEqual([])
  const posts = [sent({ status: null }), sent({ status: null, items: [{ category: 'error', quantity: 1 }] }), sent()]
  const { gaps, abandoned } = judgePosts([observed({ posts })], arrived(body))
  expect([...abandoned]).toEqual([['error', 1]])
  expect(gaps).toEqual(['a page was closed or left while it posted 1 error, which did not arrive, in shop.spec.ts:8'])
})

it('fails for an answer of 200 to an envelope that never arrived', () => {
  expect(found([sent()])).toEqual(['an envelope was answered 200, and never arrived'])
  // Another time, another size, and one arrival for two posts.
  expect(found([sent({ sentAt: 'later' })], body)).toHaveLength(1)
  expect(found([sent({ bytes: 7 })], body)).toHaveLength(1)
  expect(found([sent(), sent()], body)).toHaveLength(1)
})

it('leaves answers of 429 to the check of losses', () => {
  expect(found([sent({ status: 429 })])).toEqual([])
})
