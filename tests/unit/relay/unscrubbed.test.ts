import { describe, expect, it } from 'vitest'
import { StoppingError, UnscrubbedError } from '../../../collector/runtime/thread-errors'
import type { Decision } from '../../../collector/spool/submission'
import { answered, aRelay } from './relay-parts'

describe('an envelope that cannot be scrubbed', () => {
  it('is not posted and ends as filtered, and later ones are posted', async () => {
    const settled: { readonly seq: number; readonly decision: NonNullable<Decision> }[] = []
    const delivered: number[] = []
    let scrubbed = 0
    await new Promise<void>((resolve, reject) => {
      const relay = aRelay({
        seqs: [1, 2],
        scrub: async (_endpoint, body) => {
          scrubbed += 1
          if (scrubbed === 1) throw new UnscrubbedError('it takes too long to scrub')
          return { body, removed: [] }
        },
        spool: {
          storeLimits: async () => undefined,
          decideWithoutAttempt: async (seq, decision) => {
            settled.push({ seq, decision })
          },
          recordAttempt: async ({ seq }) => {
            delivered.push(seq)
            resolve()
          },
        },
        send: async () => answered(200),
        onDeath: reject,
      })
      relay.wake()
    })
    expect(settled).toEqual([{ seq: 1, decision: [{ item: -1, outcome: 'filtered', reason: 'unscrubbed' }] }])
    expect(delivered).toEqual([2])
  })

  it('an envelope stays pending when the collector stops while scrubbing it, and does not delay the stop', async () => {
    let give: (error: Error) => void = () => undefined
    let closing = async (): Promise<void> => undefined
    const started = new Promise<void>((resolve) => {
      const relay = aRelay({
        seqs: [1],
        scrub: () =>
          new Promise((_resolve, reject) => {
            give = reject
            resolve()
          }),
        spool: {
          storeLimits: async () => undefined,
          decideWithoutAttempt: async () => expect.fail('nothing is settled'),
          recordAttempt: async () => expect.fail('nothing is delivered'),
        },
        onDeath: (error) => expect.fail(error.message),
      })
      relay.wake()
      closing = () => relay.close(1000)
    })
    await started
    const closed = closing()
    give(new StoppingError())
    await closed
  })

  it('an unknown error while scrubbing ends the process, because it is a bug', async () => {
    const died = await new Promise<Error>((resolve) => {
      const scrub = async (): Promise<never> => {
        throw new TypeError('no')
      }
      aRelay({ scrub, onDeath: resolve }).wake()
    })
    expect(died.message).toBe('no')
  })
})
