import { describe, expect, test } from 'vitest'
import { afterDeath, type Death } from '../../../collector/launch/restart-policy'

/** `died@0 taken@1`: causes and seconds. */
const deaths = (drawn: string): readonly Death[] =>
  drawn
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const [cause, seconds] = word.split('@')
      return {
        at: Number(seconds) * 1_000,
        cause: cause === 'taken' ? 'port taken' : cause === 'refused' ? 'refused' : 'died',
      }
    })

describe('after the death of a collector', () => {
  test.each<readonly [what: string, drawn: string, next: number | 'give up']>([
    ['the first time it starts at once', 'died@0', 0],
    ['the second time within a minute it waits 1 s', 'died@0 died@3', 1_000],
    ['the third time it waits 2 s', 'died@0 died@3 died@5', 2_000],
    ['the fourth time it waits 4 s', 'died@0 died@3 died@5 died@8', 4_000],
    ['the fifth time within a minute it gives up', 'died@0 died@3 died@5 died@8 died@59.9', 'give up'],
    ['a death a minute ago no longer counts', 'died@0 died@3 died@5 died@8 died@60', 4_000],
    ['one that died long ago, often, starts at once', 'died@0 died@1 died@2 died@3 died@3600', 0],
    ['one that says why it cannot run is given up at once', 'died@0 refused@1', 'give up'],
    ['a port that is taken is tried again', 'died@0 taken@0.1', 1_000],
    ['a port that is taken is tried a second time again', 'died@0 taken@0.1 taken@1.1', 2_000],
    ['a port that is taken three times in a row is given up', 'died@0 taken@0.1 taken@1.1 taken@3.1', 'give up'],
    ['a port that was taken twice and then not counts afresh', 'died@0 taken@1 taken@2 died@80 taken@80', 1_000],
    ['nothing starts where nothing died', '', 'give up'],
  ])('%s', (_what, drawn, next) => {
    expect(afterDeath(deaths(drawn))).toBe(next)
  })
})
