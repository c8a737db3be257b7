import { describe, expect, it } from 'vitest'
import { AbortedPosts, ANSWER_MS, type ArrivedPost } from '../../../collector/spool/ledger/aborted-posts'

/** When the page wrote its report, in ms. */
const COUNTED = 1_000_000

const spans = (quantity: number, more: Partial<ArrivedPost> = {}): ArrivedPost => ({
  receipt: `receipt ${quantity}`,
  source: 'a page',
  quantities: [{ category: 'span', quantity }],
  sentAt: COUNTED - 100,
  receivedAt: COUNTED + 50,
  ...more,
})
const report = (quantity: number, category = 'span', more: { source?: string; receivedAt?: number } = {}) => ({
  source: 'a page',
  countedAt: COUNTED,
  receivedAt: COUNTED + 100,
  quantities: [{ category, quantity }],
  ...more,
})
const error = (receivedAt: number): ArrivedPost =>
  spans(1, { quantities: [{ category: 'error', quantity: 1 }], receivedAt })

/** The quantities that are found when the posts arrive before the report. */
function found(posts: readonly ArrivedPost[], of: ReturnType<typeof report>) {
  const aborted = new AbortedPosts()
  for (const post of posts) aborted.addPost(post)
  return aborted.addReport(of)
}

describe('posts that a page aborted', () => {
  it('are those that were open when it wrote its report, and have the quantity that it reports', () => {
    expect(found([spans(7), spans(22), spans(2)], report(22))).toEqual([{ category: 'span', quantity: 22 }])
  })

  it('may be several together', () => {
    expect(found([spans(7), spans(22), spans(2)], report(24))).toEqual([{ category: 'span', quantity: 24 }])
  })

  it('may arrive after the report', () => {
    const aborted = new AbortedPosts()
    expect(aborted.addReport(report(24))).toEqual([])
    expect(aborted.addPost(spans(22))).toEqual([])
    expect(aborted.addPost(spans(2, { source: 'another page' }))).toEqual([])
    expect(aborted.addPost(spans(2))).toEqual([{ category: 'span', quantity: 24 }])
  })

  it('count once', () => {
    const aborted = new AbortedPosts()
    aborted.addPost(spans(22))
    expect(aborted.addReport(report(22))).toHaveLength(1)
    expect(aborted.isMatched('receipt 22')).toBe(true)
    expect(aborted.addReport(report(22))).toEqual([])
    expect(aborted.addPost(spans(7))).toEqual([])
  })

  it.each<[string, ArrivedPost]>([
    ['of another page', spans(22, { source: 'another page' })],
    ['of another quantity', spans(23)],
    ['of another category', spans(22, { quantities: [{ category: 'log_item', quantity: 22 }] })],
    ['sent after the report was written', spans(22, { sentAt: COUNTED + 1 })],
    ['answered long before', spans(22, { receivedAt: COUNTED - ANSWER_MS - 1 })],
    ['sent at an unknown time and received long after', spans(22, { sentAt: null, receivedAt: COUNTED + 1001 })],
  ])('are not those %s', (_name, post) => {
    expect(found([post], report(22))).toEqual([])
  })

  it('with an error must have arrived after the report was written', () => {
    expect(found([error(COUNTED - 1)], report(1, 'error'))).toEqual([])
    expect(found([error(COUNTED)], report(1, 'error'))).toHaveLength(1)
  })

  it('are found without sent_at, as envelopes of logs have none', () => {
    expect(found([spans(3, { sentAt: null })], report(3))).toHaveLength(1)
  })

  it('are not looked for when the clocks of page and collector may differ', () => {
    expect(found([spans(22)], report(22, 'span', { receivedAt: COUNTED + 5001 }))).toEqual([])
  })

  it('are forgotten after 10 s', () => {
    const aborted = new AbortedPosts()
    aborted.addReport(report(22))
    aborted.addPost(spans(1, { receivedAt: COUNTED + 10_101 }))
    expect(aborted.addPost(spans(22, { receivedAt: COUNTED + 10_102 }))).toEqual([])
  })
})
