import { describe, expect, it } from 'vitest'
import { environmentRule } from '../../../lib/contract/rules/environment'
import { caseFrom, containerOf, drawn, eventOf, transactionOf } from './evidence-of'

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
        expect.objectContaining({ about: 'Error: boom', path: 'environment', seen: 'nothing' }),
        expect.objectContaining({ about: 'pageload /checkout', path: 'environment' }),
        {
          about: 'pageload /checkout',
          at: { seq: 3, item: 0, traceId: 'a'.repeat(32), spanId: '0000000000000001' },
          path: 'attributes.sentry.environment',
          seen: 'nothing',
          wanted: 'the name of an environment, such as production',
        },
      ],
    })
  })

  it('cannot be judged where nothing came of an SDK of the JavaScript family', () => {
    const python = eventOf({ environment: null, sdk: { name: 'sentry.python', version: '2.40.0' } })
    const why = 'No error event and no segment of an SDK of the JavaScript family was recorded.'
    expect(judge(python)).toEqual({ verdict: 'incomplete', why })
  })

  it('is not missed in an interaction that SDK 10 sends as a span of its own', () => {
    const click = drawn('ui.interaction.click Buy  ==')
    expect(judge(containerOf(click, { environment: null })).verdict).toBe('incomplete')
  })
})
