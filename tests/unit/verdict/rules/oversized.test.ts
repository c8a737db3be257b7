import { describe, expect, it } from 'vitest'
import { oversizedRule } from '../../../../lib/verdict/rules/oversized'
import { type Came, caseFrom, envelopeOf, eventOf, failing, failingWith } from './sample-evidence'

const judge = (...came: readonly Came[]) => oversizedRule.judge(caseFrom(...came))
const MiB = 1024 * 1024
const eventOfBytes = (bytes: number): string => eventOf({ extra: { rows: 'x'.repeat(bytes) } })

describe('the oversized rule', () => {
  it('passes for a small item', () => {
    expect(judge(eventOfBytes(900_000))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('fails near the limit', () => {
    expect(judge(eventOf(), eventOfBytes(1_000_000))).toEqual(
      failing(2, {
        about: 'event item of envelope 2',
        at: { seq: 2, item: 0, traceId: 'a'.repeat(32), eventId: 'e'.repeat(32) },
        path: '',
        actual: '976.91 KiB, 95 % of Sentry’s limit',
        expected: 'at most 921.6 KiB, which is 90 % of Sentry’s limit of 1 MiB',
      }),
    )
  })

  it('fails above the limit', () => {
    expect(judge(eventOfBytes(2 * MiB))).toMatchObject({
      verdict: 'fail',
      findings: [{ actual: '2 MiB, above Sentry’s limit' }],
    })
  })

  it('checks the mean size of a container’s entries', () => {
    const items = [1, 2].map((index) => ({ timestamp: index, level: 'info', body: 'x'.repeat(1_900_000) }))
    const logs = envelopeOf({}, [
      { type: 'log', item_count: 2, content_type: 'application/vnd.sentry.items.log+json' },
      { items },
    ])
    expect(judge(logs)).toMatchObject(
      failingWith({
        about: 'log item of envelope 1',
        actual: '1.81 MiB for each of its 2 entries, 90 % of Sentry’s limit',
      }),
    )
  })

  it('checks the size of a single entry', () => {
    const item = { type: 'log', item_count: 1, content_type: 'application/vnd.sentry.items.log+json' }
    const log = envelopeOf({}, [item, { items: [{ timestamp: 1, level: 'info', body: 'x'.repeat(1_900_000) }] }])
    expect(judge(log)).toMatchObject(failingWith({ actual: '1.81 MiB, 90 % of Sentry’s limit' }))
  })

  it('ignores copies', () => {
    expect(judge(eventOf(), { body: eventOfBytes(1_000_000), endpoint: 'stream' })).toEqual({
      verdict: 'pass',
      judged: 1,
    })
  })

  it('is incomplete for types without a known limit', () => {
    expect(judge(envelopeOf({}, [{ type: 'constructor' }, {}]))).toEqual({
      verdict: 'incomplete',
      why: 'No item of a type with a known limit was recorded.',
    })
  })
})

describe('the number of items in an envelope', () => {
  const reports = (count: number): string =>
    envelopeOf({}, ...Array.from({ length: count }, () => [{ type: 'attachment', filename: 'a' }, {}] as const))

  it('passes at Sentry’s limit', () => {
    expect(judge(reports(30))).toEqual({ verdict: 'pass', judged: 30 })
  })

  it('fails once above the limit', () => {
    expect(judge(reports(33))).toMatchObject(
      failingWith({ at: { seq: 1, item: 30 }, actual: 'more than 30 in one envelope', expected: 'at most 30' }),
    )
  })
})
