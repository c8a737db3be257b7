import { expect, it } from 'vitest'
import { createRefusalCount } from '../../../collector/http/count-refusal'

/** A record that counts, fails, or answers nobody, as it is told; time that passes when it is told. */
function station() {
  const said: string[] = []
  const counted: string[] = []
  let elapse: () => void = () => undefined
  let behave: () => Promise<void> = async () => undefined
  const count = createRefusalCount({
    spool: {
      refused: async (reason, bytes) => {
        await behave()
        counted.push(`${reason} ${bytes}`)
      },
    },
    later: (work) => {
      elapse = work
      return () => undefined
    },
    say: (sentence) => said.push(sentence),
  })
  return {
    said,
    counted,
    count,
    elapse: () => elapse(),
    behaves: (how: () => Promise<void>) => {
      behave = how
    },
  }
}

it('a refusal that is counted is waited for', async () => {
  const { count, counted, said } = station()
  await count('malformed', 12)
  expect([counted, said]).toEqual([['malformed 12'], []])
})

it('a refusal that cannot be counted is told of once, until one can be counted again', async () => {
  const { count, behaves, said } = station()
  behaves(() => Promise.reject(new Error('database is locked')))
  await count('malformed', 12)
  await count('malformed', 12)
  expect(said).toEqual(['refusals are not counted just now: database is locked'])
  behaves(async () => undefined)
  await count('malformed', 12)
  behaves(() => Promise.reject(new Error('database or disk is full')))
  await count('malformed', 12)
  expect(said).toHaveLength(2)
})

it('a refusal that is not counted in time is not waited for', async () => {
  const { count, behaves, elapse, counted } = station()
  behaves(() => new Promise(() => undefined))
  const done = count('malformed', 12)
  elapse()
  await done
  expect(counted).toEqual([])
})
