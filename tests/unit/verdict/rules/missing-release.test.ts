import { describe, expect, it } from 'vitest'
import { missingReleaseRule } from '../../../../lib/verdict/rules/missing-release'
import {
  type Came,
  caseFrom,
  clientReportOf,
  containerOf,
  drawn,
  envelopeOf,
  eventOf,
  failing,
  transactionOf,
} from './sample-evidence'

const judge = (...came: readonly Came[]) => missingReleaseRule.judge(caseFrom(...came))
const PAGE = drawn(`
  pageload /cart           ======
    http.client GET /api    ==
`)

describe('the missing-release rule', () => {
  it.each([
    ['a transaction', transactionOf(PAGE)],
    ['a container of spans', containerOf(PAGE)],
    ['an event', eventOf()],
  ])('passes for %s with a release', (_, body) => {
    expect(judge(body)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('reads the release of a standalone span from its unprefixed attribute', () => {
    const inp = {
      trace_id: 'a'.repeat(32),
      span_id: 'b'.repeat(16),
      is_segment: true,
      op: 'ui.interaction.click',
      start_timestamp: 1,
      data: { release: 'shop@1' },
    }
    expect(judge(envelopeOf({}, [{ type: 'span' }, inp]))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it.each([
    ['a transaction', transactionOf(PAGE, { release: null }), 'pageload /cart', 'release'],
    ['a container of spans', containerOf(PAGE, { release: null }), 'pageload /cart', 'attributes.sentry.release'],
    ['an event', eventOf({ release: undefined }), 'Error: boom', 'release'],
  ])('fails for %s without a release', (_, body, about, path) => {
    expect(judge(eventOf(), body)).toMatchObject(
      failing(2, { about, at: { seq: 2, item: 0 }, path, actual: 'nothing', expected: 'a release' }),
    )
  })

  it('ignores copies', () => {
    const copies = [eventOf({ release: undefined }), transactionOf(PAGE, { release: null })]
    expect(judge(eventOf(), ...copies.map((body) => ({ body, endpoint: 'stream' as const })))).toEqual({
      verdict: 'pass',
      judged: 1,
    })
  })

  it('is incomplete without events and segments', () => {
    expect(judge(clientReportOf(['queue_overflow', 'error', 1]))).toEqual({
      verdict: 'incomplete',
      why: 'No error event or segment was recorded.',
    })
  })
})
