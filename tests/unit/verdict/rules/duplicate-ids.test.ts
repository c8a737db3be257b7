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

describe('an id of an event', () => {
  it('is of one event', () => {
    const given = caseFrom(eventOf(), eventOf({ event_id: 'f'.repeat(32) }))
    expect(duplicateIdsRule.judge(given)).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('is not of another', () => {
    expect(duplicateIdsRule.judge(caseFrom(eventOf(), eventOf({ level: 'fatal' })))).toEqual({
      verdict: 'fail',
      judged: 2,
      found: 1,
      findings: [
        {
          about: `event ${ID}`,
          at: { seq: 2, item: 0, traceId: TRACE, eventId: ID },
          path: 'event_id',
          actual: 'the id of the event in envelope 1, with other content',
          expected: 'an id of its own',
        },
      ],
    })
  })

  it('is not of another of the same length, either', () => {
    const named = (release: string) => eventOf({ release })
    expect(duplicateIdsRule.judge(caseFrom(named('shop@1'), named('shop@2')))).toMatchObject({
      found: 1,
      findings: [{ actual: 'the id of the event in envelope 1, with other content' }],
    })
  })

  it('is that of its attachments, too', () => {
    const event = [{ type: 'event' }, { event_id: ID }] as const
    const attachment = [{ type: 'attachment', filename: 'a.txt' }, {}] as const
    const given = caseFrom(envelopeOf({ event_id: ID }, event, attachment, attachment))
    expect(duplicateIdsRule.judge(given)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('is that of its copy', () => {
    const given = caseFrom(eventOf(), { body: eventOf(), endpoint: 'stream' })
    expect(duplicateIdsRule.judge(given)).toEqual({ verdict: 'pass', judged: 1 })
  })
})

describe('a submission that came twice', () => {
  it.each([
    ['an event', eventOf(), 2, `event ${ID}`],
    ['a transaction', transactionOf(PAGE), 6, `transaction ${'0'.repeat(32)}`],
    ['a container', containerOf(PAGE), 4, `span item of trace ${TRACE}`],
    ['a container of one span', containerOf(PAGE.slice(0, 1)), 2, `span item of trace ${TRACE}`],
    ['a container of three', containerOf(LONGER), 6, `span item of trace ${TRACE}`],
  ])('is told once: %s', (_, body, judged, about) => {
    expect(duplicateIdsRule.judge(caseFrom(body, body))).toMatchObject({
      verdict: 'fail',
      judged,
      found: 1,
      findings: [
        {
          about,
          at: { seq: 2, item: 0 },
          actual: 'the same bytes as in envelope 1: a submission that came twice',
          expected: 'each submission once',
        },
      ],
    })
  })
})

it('a transaction that came twice is opened by its trace, for its id is of no error event', () => {
  const verdict = duplicateIdsRule.judge(caseFrom(transactionOf(PAGE), transactionOf(PAGE)))
  expect(verdict).toMatchObject({ findings: [{ at: { seq: 2, item: 0, traceId: TRACE, eventId: null } }] })
})

describe('an id of a span', () => {
  it.each([
    ['a transaction', transactionOf, 3],
    ['a container', containerOf, 2],
  ])('is of one span: %s', (_, told, judged) => {
    expect(duplicateIdsRule.judge(caseFrom(told(PAGE)))).toEqual({ verdict: 'pass', judged })
  })

  it('is not of another', () => {
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
          actual: '0000000000000002, the id of http.client GET /api in envelope 1, of which it differs in name, endUs',
          expected: 'an id of its own',
        },
      ],
    })
  })

  it('may be told again by another container, and be the same', () => {
    expect(duplicateIdsRule.judge(caseFrom(containerOf(PAGE), containerOf(PAGE, { late: true })))).toEqual({
      verdict: 'pass',
      judged: 3,
    })
  })

  it('is of its trace: another trace may have it, and then has it once', () => {
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

  it('is that of its copy', () => {
    const copy = containerOf(PAGE.map((span) => ({ ...span, name: '/other' })))
    const given = caseFrom(containerOf(PAGE), { body: copy, endpoint: 'stream' })
    expect(duplicateIdsRule.judge(given)).toEqual({ verdict: 'pass', judged: 2 })
  })
})

it('duplicate ids are incomplete where neither an event nor a span was recorded', () => {
  expect(duplicateIdsRule.judge(caseFrom(clientReportOf(['queue_overflow', 'error', 1])))).toEqual({
    verdict: 'incomplete',
    why: 'No event and no span was recorded.',
  })
})
