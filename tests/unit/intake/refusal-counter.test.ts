import { expect, it } from 'vitest'
import { createRefusalCounter } from '../../../collector/intake/refusal'

/** A spool that counts, fails or hangs, and a timer that fires on demand. */
function counter() {
  const logged: string[] = []
  const counted: string[] = []
  let elapse: () => void = () => undefined
  let behave: () => Promise<void> = async () => undefined
  const count = createRefusalCounter({
    spool: {
      countRefusal: async (reason, bytes) => {
        await behave()
        counted.push(`${reason} ${bytes}`)
      },
    },
    later: (work) => {
      elapse = work
      return () => undefined
    },
    log: (line) => logged.push(line),
  })
  return {
    logged,
    counted,
    count,
    elapse: () => elapse(),
    behaves: (how: () => Promise<void>) => {
      behave = how
    },
  }
}

it('waits until the refusal is counted', async () => {
  const { count, counted, logged } = counter()
  await count('malformed', 12)
  expect([counted, logged]).toEqual([['malformed 12'], []])
})

it('logs a failure once per period of failures', async () => {
  const { count, behaves, logged } = counter()
  behaves(() => Promise.reject(new Error('database is locked')))
  await count('malformed', 12)
  await count('malformed', 12)
  expect(logged).toEqual(['refusals cannot be counted: database is locked'])
  behaves(async () => undefined)
  await count('malformed', 12)
  behaves(() => Promise.reject(new Error('database or disk is full')))
  await count('malformed', 12)
  expect(logged).toHaveLength(2)
})

it('gives up after a timeout', async () => {
  const { count, behaves, elapse, counted } = counter()
  behaves(() => new Promise(() => undefined))
  const done = count('malformed', 12)
  elapse()
  await done
  expect(counted).toEqual([])
})
