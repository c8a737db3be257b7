import { describe, expect, it } from 'vitest'
import { duplicateIdsRule } from '../../../../lib/verdict/rules/duplicate-ids'
import {
  type Came,
  caseFrom,
  clientReportOf,
  containerOf,
  drawn,
  envelopeOf,
  eventOf,
  failing,
  failingWith,
  TRACE,
  transactionOf,
} from './sample-evidence'

const judge = (...came: readonly Came[]) => duplicateIdsRule.judge(caseFrom(...came))
const PAGE = drawn(`
  pageload /cart           ======
    http.client GET /api    ==
`)
const LONGER = drawn(`
  pageload /cart           ======
    http.client GET /api    ==
    http.client GET /ads      ==
`)
const ID = 'e'.repeat(32)

describe('the duplicate-ids rule with event ids', () => {
  it('passes for unique ids', () => {
    expect(judge(eventOf(), eventOf({ event_id: 'f'.repeat(32) }))).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('fails for a second event with the same id', () => {
    expect(judge(eventOf(), eventOf({ level: 'fatal' }))).toEqual(
      failing(2, {
        about: `event ${ID}`,
        at: { seq: 2, item: 0, traceId: TRACE, eventId: ID },
        path: 'event_id',
        actual: 'the id of the event in envelope 1, with different content',
        expected: 'a unique id',
      }),
    )
  })

  it('fails for a second event of the same length with different content', () => {
    const named = (release: string) => eventOf({ release })
    expect(judge(named('shop@1'), named('shop@2'))).toMatchObject(
      failingWith({ actual: 'the id of the event in envelope 1, with different content' }),
    )
  })

  it('passes for attachments with the event’s id', () => {
    const event = [{ type: 'event' }, { event_id: ID }] as const
    const attachment = [{ type: 'attachment', filename: 'a.txt' }, {}] as const
    expect(judge(envelopeOf({ event_id: ID }, event, attachment, attachment))).toEqual({ verdict: 'pass', judged: 1 })
  })

  describe('of feedback about an error', () => {
    const feedback = (event_id: string, message: string) =>
      envelopeOf({ event_id }, [
        { type: 'feedback' },
        { event_id, contexts: { feedback: { message, associated_event_id: ID } } },
      ])

    it('passes for the error and two items of feedback about it', () => {
      expect(judge(eventOf(), feedback('1'.repeat(32), 'slow'), feedback('2'.repeat(32), 'wrong'))).toEqual({
        verdict: 'pass',
        judged: 3,
      })
    })

    it('fails for two items with the same id of their own', () => {
      expect(judge(feedback('1'.repeat(32), 'slow'), feedback('1'.repeat(32), 'wrong'))).toMatchObject({
        verdict: 'fail',
        judged: 2,
        found: 1,
      })
    })
  })

  it('ignores copies', () => {
    expect(judge(eventOf(), { body: eventOf(), endpoint: 'stream' })).toEqual({ verdict: 'pass', judged: 1 })
  })
})

it.each([
  ['an event', eventOf(), 2, `event ${ID}`],
  ['a transaction', transactionOf(PAGE), 6, `transaction ${'0'.repeat(32)}`],
  ['a container', containerOf(PAGE), 4, `span item of trace ${TRACE}`],
  ['a container of one span', containerOf(PAGE.slice(0, 1)), 2, `span item of trace ${TRACE}`],
  ['a container of three', containerOf(LONGER), 6, `span item of trace ${TRACE}`],
])('a submission received twice is reported once: %s', (_, body, judged, about) => {
  expect(judge(body, body)).toMatchObject(
    failing(judged, {
      about,
      at: { seq: 2, item: 0 },
      actual: 'the same bytes as in envelope 1: submitted twice',
      expected: 'each item submitted once',
    }),
  )
})

it('links a repeated transaction to its trace, because its id has no event page', () => {
  const verdict = judge(transactionOf(PAGE), transactionOf(PAGE))
  expect(verdict).toMatchObject({ findings: [{ at: { seq: 2, item: 0, traceId: TRACE, eventId: null } }] })
})

describe('the duplicate-ids rule with span ids', () => {
  it.each([
    ['a transaction', transactionOf, 3],
    ['a container', containerOf, 2],
  ])('passes for unique ids: %s', (_, bodyOf, judged) => {
    expect(judge(bodyOf(PAGE))).toEqual({ verdict: 'pass', judged })
  })

  it('fails for two different spans with the same id', () => {
    const late = containerOf(
      PAGE.map((span) => (span.op === 'http.client' ? { ...span, name: 'GET /other', endMs: 900 } : span)),
      { late: true },
    )
    expect(judge(containerOf(PAGE), late)).toEqual(
      failing(3, {
        about: 'http.client GET /other',
        at: { seq: 2, item: 0, traceId: TRACE, spanId: '0000000000000002' },
        path: 'span_id',
        actual: '0000000000000002, the id of http.client GET /api in envelope 1, with different name, endUs',
        expected: 'a unique id',
      }),
    )
  })

  it('passes for an identical span in another container', () => {
    expect(judge(containerOf(PAGE), containerOf(PAGE, { late: true }))).toEqual({ verdict: 'pass', judged: 3 })
  })

  it('compares ids within a trace', () => {
    const other = { traceId: 'c'.repeat(32) }
    const named = (name: string) => PAGE.map((span) => ({ ...span, name }))
    const given = [containerOf(PAGE), containerOf(named('/other'), other)]
    expect(judge(...given)).toEqual({ verdict: 'pass', judged: 4 })
    const clash = containerOf(named('/third'), { ...other, late: true })
    expect(judge(...given, clash)).toMatchObject(
      failingWith({ actual: expect.stringContaining('/other in envelope 2') }),
    )
  })

  it('ignores copies', () => {
    const copy = containerOf(PAGE.map((span) => ({ ...span, name: '/other' })))
    expect(judge(containerOf(PAGE), { body: copy, endpoint: 'stream' })).toEqual({ verdict: 'pass', judged: 2 })
  })
})

it('is incomplete without events and spans', () => {
  expect(judge(clientReportOf(['queue_overflow', 'error', 1]))).toEqual({
    verdict: 'incomplete',
    why: 'No event or span was recorded.',
  })
})
