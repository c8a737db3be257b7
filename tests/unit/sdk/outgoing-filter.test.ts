import { describe, expect, it } from 'vitest'
import { isMissingPage, NOT_FOUND_ATTRIBUTE } from '../../../lib/contract/missing-page'
import { filterOutgoing } from '../../../lib/sdk/outgoing-filter'
import { container, envelope, errorEvent, span, spanIds, transaction } from './envelopes'

const noneDropped = { shouldDrop: isMissingPage, wasDropped: () => false }
const withDropped = (id: string) => ({ shouldDrop: isMissingPage, wasDropped: (segment: string) => segment === id })
const allDropped = { shouldDrop: isMissingPage, wasDropped: () => true }

describe('a static envelope', () => {
  it('is sent unchanged when no page in it is missing', () => {
    const sent = envelope(transaction('/lab', 'a', {}, [{}]))
    expect(filterOutgoing(sent, noneDropped)).toEqual({ envelope: sent, dropped: [], segments: [] })
  })

  // pageload /nope  marked
  //   ├─ resource.script
  //   └─ resource.css
  it('drops a missing page, and counts one transaction and one span more than its children', () => {
    const sent = envelope(transaction('/nope', 'a', { [NOT_FOUND_ATTRIBUTE]: true }, [{}, {}]))
    expect(filterOutgoing(sent, noneDropped)).toEqual({
      envelope: null,
      dropped: [
        { category: 'transaction', quantity: 1 },
        { category: 'span', quantity: 3 },
      ],
      segments: ['a'],
    })
  })

  it('drops the segment of a page request that answered 404', () => {
    const sent = envelope(
      transaction('GET /items/[id]', 'a', { 'http.response.status_code': 404 }, [
        { 'next.span_type': 'AppRender.getBodyResult' },
      ]),
    )
    expect(filterOutgoing(sent, noneDropped).envelope).toBeNull()
  })

  it('keeps every other item of the envelope', () => {
    const error = errorEvent('/_not-found')
    const filtered = filterOutgoing(envelope(transaction('GET /404', 'a'), error), noneDropped)
    expect(filtered.envelope?.[1]).toEqual([error])
  })
})

describe('a streamed envelope', () => {
  // ● GET /_not-found (a)      ● GET /lab (c)
  //   └─ render (b)              └─ render (d)
  it('loses the missing page and its children, and keeps other segments', () => {
    const sent = envelope(
      container(
        span('b', 'a', 'render'),
        span('a', 'a', 'GET /_not-found'),
        span('d', 'c', 'render'),
        span('c', 'c', 'GET /lab'),
      ),
    )
    const filtered = filterOutgoing(sent, noneDropped)
    expect(filtered.envelope?.[1].map(spanIds)).toEqual([['d', 'c']])
    expect(filtered.dropped).toEqual([{ category: 'span', quantity: 2 }])
    expect(filtered.segments).toEqual(['a'])
  })

  it('has the number of remaining spans in item_count, by which the SDK counts', () => {
    const sent = envelope(container(span('a', 'a', '/404'), span('c', 'c', '/lab')))
    expect(filterOutgoing(sent, noneDropped).envelope?.[1][0]?.[0]).toMatchObject({ item_count: 1 })
  })

  // earlier: ● /nope (a) dropped
  // now:       ├─ Layout shift (b)
  //            └─ Click (c)            ● /lab (d)
  it('loses late children of a segment that was dropped before', () => {
    const sent = envelope(container(span('b', 'a', 'Layout shift'), span('c', 'a', 'Click'), span('d', 'd', '/lab')))
    const filtered = filterOutgoing(sent, withDropped('a'))
    expect(filtered.envelope?.[1].map(spanIds)).toEqual([['d']])
    expect(filtered.dropped).toEqual([{ category: 'span', quantity: 2 }])
  })

  it('is dropped when nothing is left of it', () => {
    const sent = envelope(container(span('b', 'a', 'Layout shift')))
    expect(filterOutgoing(sent, withDropped('a')).envelope).toBeNull()
  })

  it('keeps a span that names no segment', () => {
    const loose = { ...span('x', 'y', 'loose'), attributes: {} }
    const sent = envelope(container(loose))
    expect(filterOutgoing(sent, allDropped).envelope).toBe(sent)
  })
})

it.each(['/404', '/_not-found', 'GET /_not-found'])(
  'sends an error event on %s: an error on a missing page is still an error',
  (name) => {
    const sent = envelope(errorEvent(name))
    expect(filterOutgoing(sent, allDropped).envelope).toBe(sent)
  },
)
