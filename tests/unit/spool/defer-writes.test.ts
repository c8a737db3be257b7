import { describe, expect, it } from 'vitest'
import type { Call } from '../../../collector/runtime/thread-call'
import { APPENDED_WITHIN_MS, deferWrites, HELD_MS } from '../../../collector/spool/defer-writes'

const call = (method: string): Call => ({ id: 0, method, args: [] })

/** Writes with a clock and timers of the test. */
function writes() {
  const transactions: string[][] = []
  let now = 0
  let due: { readonly at: number; readonly work: () => void } | null = null
  const receive = deferWrites({
    run: (calls) => transactions.push(calls.map(({ method }) => method)),
    later: (work, ms) => {
      due = { at: now + ms, work }
      return () => {
        due = null
      }
    },
    monotonic: () => now,
  })
  return {
    transactions,
    receive: (...methods: string[]) => receive(methods.map(call)),
    pass: (ms: number) => {
      now += ms
      if (due !== null && due.at <= now) due.work()
    },
  }
}

describe('deferWrites', () => {
  it('writes an attempt with the next append while envelopes arrive', () => {
    const { transactions, receive, pass } = writes()
    receive('append')
    pass(1)
    receive('recordAttempt')
    receive('noteDigested')
    expect(transactions).toEqual([['append']])
    pass(2)
    receive('append')
    expect(transactions).toEqual([['append'], ['recordAttempt', 'noteDigested', 'append']])
    pass(HELD_MS)
    expect(transactions).toHaveLength(2)
  })

  it(`writes an attempt after ${HELD_MS} ms when no other envelope arrives`, () => {
    const { transactions, receive, pass } = writes()
    receive('append')
    receive('recordAttempt')
    pass(HELD_MS - 1)
    expect(transactions).toEqual([['append']])
    pass(1)
    expect(transactions).toEqual([['append'], ['recordAttempt']])
  })

  it('writes an attempt at once when no envelope arrived lately', () => {
    const { transactions, receive, pass } = writes()
    receive('recordAttempt')
    receive('append')
    pass(APPENDED_WITHIN_MS)
    receive('recordAttempt')
    expect(transactions).toEqual([['recordAttempt'], ['append'], ['recordAttempt']])
  })

  it('writes many attempts at once, and with them those that waited', () => {
    const { transactions, receive } = writes()
    receive('append')
    receive('recordAttempt')
    receive(...Array.from({ length: 8 }, () => 'recordAttempt'))
    expect(transactions.map((methods) => methods.length)).toEqual([1, 9])
  })

  it.each(['append', 'countRefusal', 'saveSetting', 'usage', 'stop'])('never lets %s wait', (method) => {
    const { transactions, receive } = writes()
    receive('append')
    receive(method)
    expect(transactions).toEqual([['append'], [method]])
  })
})
