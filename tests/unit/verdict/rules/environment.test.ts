import { describe, expect, it } from 'vitest'
import { environmentRule } from '../../../../lib/verdict/rules/environment'
import { caseFrom, containerOf, drawn, eventOf, transactionOf } from './sample-evidence'

const PAGE = drawn('pageload /checkout  =====')
const judge = (...bodies: string[]) => environmentRule.judge(caseFrom(...bodies))

describe('the environment', () => {
  it('is named by an event, a transaction and a streamed segment, whatever its name', () => {
    const staging = eventOf({ environment: 'staging' })
    expect(judge(staging, transactionOf(PAGE), containerOf(PAGE))).toEqual({ verdict: 'pass', judged: 3 })
  })

  it('is missed where one of them names none', () => {
    const nameless = { environment: null }
    expect(judge(eventOf(nameless), transactionOf(PAGE, nameless), containerOf(PAGE, nameless))).toEqual({
      verdict: 'fail',
      judged: 3,
      found: 3,
      findings: [
        expect.objectContaining({ about: 'Error: boom', path: 'environment', actual: 'nothing' }),
        expect.objectContaining({ about: 'pageload /checkout', path: 'environment' }),
        {
          about: 'pageload /checkout',
          at: { seq: 3, item: 0, traceId: 'a'.repeat(32), spanId: '0000000000000001' },
          path: 'attributes.sentry.environment',
          actual: 'nothing',
          expected: 'the name of an environment, such as production',
        },
      ],
    })
  })

  it.each(['sentry.python', 'sentry.javascript.react-native', undefined])('is that of any SDK: %s', (name) => {
    const sent = (environment: string | null) => eventOf({ environment, sdk: name && { name, version: '2.40.0' } })
    expect(judge(sent('dev'))).toEqual({ verdict: 'pass', judged: 1 })
    expect(judge(sent(null))).toMatchObject({ verdict: 'fail', judged: 1, found: 1 })
  })

  it('is not missed in an interaction that SDK 10 sends as a span of its own', () => {
    const click = drawn('ui.interaction.click Buy  ==')
    expect(judge(containerOf(click, { environment: null })).verdict).toBe('incomplete')
  })
})
