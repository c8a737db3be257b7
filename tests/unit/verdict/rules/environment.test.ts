import { describe, expect, it } from 'vitest'
import { environmentRule } from '../../../../lib/verdict/rules/environment'
import { caseFrom, containerOf, drawn, eventOf, failing, transactionOf } from './sample-evidence'

const PAGE = drawn('pageload /checkout  =====')
const judge = (...bodies: string[]) => environmentRule.judge(caseFrom(...bodies))

describe('the environment rule', () => {
  it('passes for an event, a transaction and a streamed segment with any environment', () => {
    const staging = eventOf({ environment: 'staging' })
    expect(judge(staging, transactionOf(PAGE), containerOf(PAGE))).toEqual({ verdict: 'pass', judged: 3 })
  })

  it('fails for each one without an environment', () => {
    const nameless = { environment: null }
    expect(judge(eventOf(nameless), transactionOf(PAGE, nameless), containerOf(PAGE, nameless))).toEqual(
      failing(
        3,
        expect.objectContaining({ about: 'Error: boom', path: 'environment', actual: 'nothing' }),
        expect.objectContaining({ about: 'pageload /checkout', path: 'environment' }),
        {
          about: 'pageload /checkout',
          at: { seq: 3, item: 0, traceId: 'a'.repeat(32), spanId: '0000000000000001' },
          path: 'attributes.sentry.environment',
          actual: 'nothing',
          expected: 'an environment, such as production',
        },
      ),
    )
  })

  it.each(['sentry.python', 'sentry.javascript.react-native', undefined])('checks every SDK: %s', (name) => {
    const sent = (environment: string | null) => eventOf({ environment, sdk: name && { name, version: '2.40.0' } })
    expect(judge(sent('dev'))).toEqual({ verdict: 'pass', judged: 1 })
    expect(judge(sent(null))).toMatchObject({ verdict: 'fail', judged: 1, found: 1 })
  })

  it('ignores standalone interaction spans of SDK 10', () => {
    const click = drawn('ui.interaction.click Buy  ==')
    expect(judge(containerOf(click, { environment: null })).verdict).toBe('incomplete')
  })
})
