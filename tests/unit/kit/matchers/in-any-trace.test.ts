import { expect, it } from 'vitest'
import { inAnyTrace } from '../../../../lib/kit/matchers/matcher'
import type { Trace } from '../../../../lib/verdict/expectations/trace'
import type { ExpectationResult } from '../../../../lib/verdict/verdict'
import { transactionEnvelope } from '../../../flow/envelopes'
import { recordedCase } from '../recorded-case'

const DSN = 'http://local@127.0.0.1:8969/1'
const three = () => recordedCase(['/a', '/b', '/c'].map((name) => transactionEnvelope(DSN, { name }).body))

const FAIL = { verdict: 'fail', judged: 1, found: 0, findings: [] } as const
const UNSURE = { verdict: 'incomplete', why: 'it is not whole' } as const

/** Answers by the name of the trace's segment, and counts how often a message is built. */
async function judged(verdictOf: (name: string) => ExpectationResult['verdict']) {
  const { recording } = await three()
  const made: string[] = []
  const looked: string[] = []
  const judge = (trace: Trace) => {
    const name = trace.segments[0]?.name ?? ''
    looked.push(name)
    return {
      verdict: verdictOf(name),
      get message() {
        made.push(name)
        return `not in ${name}`
      },
      negatedMessage: `in ${name}`,
    }
  }
  const answer = inAnyTrace(recording, judge, ([first]) => first.message)
  return { answer, made, looked }
}

it('stops at the first matching trace', async () => {
  const { answer, made, looked } = await judged((name) => (name === '/b' ? { verdict: 'pass', judged: 1 } : FAIL))
  expect(answer.negatedMessage).toBe('in /b')
  expect({ made, looked }).toEqual({ made: [], looked: ['/a', '/b'] })
})

it('builds one message for all traces', async () => {
  const { answer, made, looked } = await judged(() => FAIL)
  expect(answer).toEqual({ verdict: FAIL, message: 'not in /a', negatedMessage: '' })
  expect({ made, looked: looked.length }).toEqual({ made: ['/a'], looked: 3 })
})

it('is incomplete if one trace is', async () => {
  const { answer } = await judged((name) => (name === '/c' ? UNSURE : FAIL))
  expect(answer).toEqual({ verdict: UNSURE, message: 'not in /a', negatedMessage: '' })
})
