import { describe, expect, it } from 'vitest'
import { CLIENT_FALLBACK, SERVER_FALLBACK } from '../../../../lib/contract/values'
import { errorFallbackRule } from '../../../../lib/verdict/rules/error-fallback'
import { caseOf, eventOf, evidenceOf, failing } from './sample-evidence'

const MESSAGE = 'password hunter2 is wrong'
const evidence = evidenceOf(
  eventOf({
    exception: {
      values: [
        { type: 'TypeError', value: MESSAGE },
        { type: 'Error', value: 'outer failure' },
      ],
    },
  }),
)
const judge = (...texts: readonly string[]) =>
  errorFallbackRule.judge(
    caseOf({ evidence, fallbacks: texts.map((text) => ({ pageUrl: 'http://localhost:3000/lab?x=1', text })) }),
  )

describe('the error-fallback rule', () => {
  it('passes for the generic text, with a digest for a server error', () => {
    expect(judge(`Lab\n${CLIENT_FALLBACK}\nTry again`, `${SERVER_FALLBACK}\nDigest: 3239642203`)).toEqual({
      verdict: 'pass',
      judged: 2,
    })
  })

  it('fails if the page shows an error message, without repeating it', () => {
    const verdict = judge(`${CLIENT_FALLBACK}\n${MESSAGE}`)
    expect(verdict).toEqual(
      failing(1, {
        about: 'the error fallback of http://localhost:3000/lab',
        at: { seq: 1, item: 0, traceId: 'a'.repeat(32), eventId: 'e'.repeat(32) },
        path: 'exception.values.0.value',
        actual: 'the message of TypeError, on the page',
        expected: 'no error message on the page',
      }),
    )
    expect(JSON.stringify(verdict)).not.toContain('hunter2')
  })

  it('ignores messages shorter than 8 characters', () => {
    const shows = (value: string) =>
      errorFallbackRule.judge(
        caseOf({
          evidence: evidenceOf(eventOf({ exception: { values: [{ value }] } })),
          fallbacks: [{ pageUrl: 'http://localhost:3000/lab', text: `${CLIENT_FALLBACK}\nTry again: ${value}` }],
        }),
      )
    expect(shows('timeout').verdict).toBe('pass')
    expect(shows('timeouts')).toMatchObject({ findings: [{ actual: 'the message of an error, on the page' }] })
  })

  it.each([
    ['Something went wrong', 'a different text'],
    [SERVER_FALLBACK, 'the text for server errors without a digest'],
  ])('fails for "%s" alone', (text, actual) => {
    expect(judge(text)).toMatchObject({ verdict: 'fail', found: 1, findings: [{ actual }] })
  })

  it('is incomplete without fallbacks and without an observed browser', () => {
    expect(judge()).toEqual({ verdict: 'incomplete', why: 'No page showed an error fallback.' })
    const why =
      'Page content can only be checked by toKeepTheContract() in a browser test: see docs/ci.md, “The contract”.'
    expect(errorFallbackRule.judge(caseOf())).toEqual({ verdict: 'incomplete', why })
  })
})
