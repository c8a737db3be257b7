import { describe, expect, it } from 'vitest'
import { duplicateIdsRule } from '../../../../lib/verdict/rules/duplicate-ids'
import {
  caseFrom,
  clientReportOf,
  containerOf,
  drawn,
  envelopeOf,
  eventOf,
  TRACE,
  transactionOf,
} from './sample-evidence'

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
    const given = caseFrom(eventOf(), eventOf({ event_id: 'f'.repeat(32) }))
    expect(duplicateIdsRule.judge(given)).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('fails for a second event with the same id', () => {
    expect(duplicateIdsRule.judge(caseFrom(eventOf(), eventOf({ level: 'fatal' })))).toEqual({
      verdict: 'fail',
      judged: 2,
      found: 1,
      findings: [
        {
          about: `event ${ID}`,
          at: { seq: 2, item: 0, traceId: TRACE, eventId: ID },
          path: 'event_id',
          actual: 'the id of the event in envelope 1, with different content',
          expected: 'a unique id',
        },
      ],
    })
  })

  it('fails for a second event of the same length with different content', () => {
    const named = (release: string) => eventOf({ release })
    expect(duplicateIdsRule.judge(caseFrom(named('shop@1'), named('shop@2')))).toMatchObject({
      found: 1,
      findings: [{ actual: 'the id of the event in envelope 1, with different content' }],
    })
  })

  it('passes for attachments with the event’s id', () => {
    const event = [{ type: 'event' }, { event_id: ID }] as const
    const attachment = [{ type: 'attachment', filename: 'a.txt' }, {}] as const
    const given = caseFrom(envelopeOf({ event_id: ID }, event, attachment, attachment))
    expect(duplicateIdsRule.judge(given)).toEqual({ verdict: 'pass', judged: 1 })
  })

  describe('of feedback about an error', () => {
    const feedback = (event_id: string, message: string) =>
      envelopeOf({ event_id }, [
        { type: 'feedback' },
        { event_id, contexts: { feedback: { message, associated_event_id: ID } } },
      ])

    it('passes for the error and two items of feedback about it', () => {
      const given = caseFrom(eventOf(), feedback('1'.repeat(32), 'slow'), feedback('2'.repeat(32), 'wrong'))
      expect(duplicateIdsRule.judge(given)).toEqual({ verdict: 'pass', judged: 3 })
    })

    it('fails for two items with the same id of their own', () => {
      const given = caseFrom(feedback('1'.repeat(32), 'slow'), feedback('1'.repeat(32), 'wrong'))
      expect(duplicateIdsRule.judge(given)).toMatchObject({ verdict: 'fail', judged: 2, found: 1 })
    })
  })

  it('ignores copies', () => {
    const given = caseFrom(eventOf(), { body: eventOf(), endpoint: 'stream' })
    expect(duplicateIdsRule.judge(given)).toEqual({ verdict: 'pass', judged: 1 })
  })
})

it.each([
  ['an event', eventOf(), 2, `event ${ID}`],
  ['a transaction', transactionOf(PAGE), 6, `transaction ${'0'.repeat(32)}`],
  ['a container', containerOf(PAGE), 4, `span item of trace ${TRACE}`],
  ['a container of one span', containerOf(PAGE.slice(0, 1)), 2, `span item of trace ${TRACE}`],
  ['a container of three', containerOf(LONGER), 6, `span item of trace ${TRACE}`],
])('a submission received twice is reported once: %s', (_, body, judged, about) => {
  expect(duplicateIdsRule.judge(caseFrom(body, body))).toMatchObject({
    verdict: 'fail',
    judged,
    found: 1,
    findings: [
      {
        about,
        at: { seq: 2, item: 0 },
        actual: 'the same bytes as in envelope 1: submitted twice',
        expected: 'each item submitted once',
      },
    ],
  })
})

it('links a repeated transaction to its trace, because its id has no event page', () => {
  const verdict = duplicateIdsRule.judge(caseFrom(transactionOf(PAGE), transactionOf(PAGE)))
  expect(verdict).toMatchObject({ findings: [{ at: { seq: 2, item: 0, traceId: TRACE, eventId: null } }] })
})

describe('the duplicate-ids rule with span ids', () => {
  it.each([
    ['a transaction', transactionOf, 3],
    ['a container', containerOf, 2],
  ])('passes for unique ids: %s', (_, bodyOf, judged) => {
    expect(duplicateIdsRule.judge(caseFrom(bodyOf(PAGE)))).toEqual({ verdict: 'pass', judged })
  })

  it('fails for two different spans with the same id', () => {
    const late = containerOf(
      PAGE.map((span) => (span.op === 'http.client' ? { ...span, name: 'GET /other', endMs: 900 } : span)),
      { late: true },
    )
    expect(duplicateIdsRule.judge(caseFrom(containerOf(PAGE), late))).toEqual({
      verdict: 'fail',
      judged: 3,
      found: 1,
      findings: [
        {
          about: 'http.client GET /other',
          at: { seq: 2, item: 0, traceId: TRACE, spanId: '0000000000000002' },
          path: 'span_id',
          actual: '0000000000000002, the id of http.client GET /api in envelope 1, with different name, endUs',
          expected: 'a unique id',
        },
      ],
    })
  })

  it('passes for an identical span in another container', () => {
    expect(duplicateIdsRule.judge(caseFrom(containerOf(PAGE), containerOf(PAGE, { late: true })))).toEqual({
      verdict: 'pass',
      judged: 3,
    })
  })

  it('compares ids within a trace', () => {
    const other = { traceId: 'c'.repeat(32) }
    const named = (name: string) => PAGE.map((span) => ({ ...span, name }))
    const given = [containerOf(PAGE), containerOf(named('/other'), other)]
    expect(duplicateIdsRule.judge(caseFrom(...given))).toEqual({ verdict: 'pass', judged: 4 })
    const clash = containerOf(named('/third'), { ...other, late: true })
    expect(duplicateIdsRule.judge(caseFrom(...given, clash))).toMatchObject({
      verdict: 'fail',
      found: 1,
      findings: [{ actual: expect.stringContaining('/other in envelope 2') }],
    })
  })

  it('ignores copies', () => {
    const copy = containerOf(PAGE.map((span) => ({ ...span, name: '/other' })))
    const given = caseFrom(containerOf(PAGE), { body: copy, endpoint: 'stream' })
    expect(duplicateIdsRule.judge(given)).toEqual({ verdict: 'pass', judged: 2 })
  })
})

it('is incomplete without events and spans', () => {
  expect(duplicateIdsRule.judge(caseFrom(clientReportOf(['queue_overflow', 'error', 1])))).toEqual({
    verdict: 'incomplete',
    why: 'No event or span was recorded.',
  })
})
