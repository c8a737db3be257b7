import { afterAll, describe, expect, it } from 'vitest'
import { ledgerErrors } from '../faults/ledger-errors'
import { randomFrom } from '../faults/random'
import { removeFolders } from '../unit/spool/in-process-spool'
import { ENGINES } from './engines'
import { observe } from './observe'
import { RandomOperations, type Target } from './random-operations'

/** `STORE_SEED=7` generates other traffic. */
const SEED = Number(process.env.STORE_SEED ?? 1)
const STEPS = 300
const COMPARED_EVERY = 60

describe.skipIf(ENGINES.some(({ isSkipped }) => isSkipped))('all engines', () => {
  afterAll(removeFolders)

  it.each([
    ['each batch', 1],
    ['several batches', 30],
  ])(
    'answer the same random calls alike, and so do the functions that read their records; a mirror applies %s at once',
    async (_title, pageFacts) => {
      let clock = 1_700_000_000_000
      const now = () => clock
      const targets: Target[] = []
      for (const { open } of ENGINES) targets.push({ store: await open({ now, pageFacts }), seqs: [] })
      const operations = new RandomOperations(randomFrom(SEED + pageFacts), now)
      for (let step = 1; step <= STEPS; step += 1) {
        clock += 1000
        const { name, run } = operations.next()
        const [expected, ...others] = await Promise.all(targets.map(run))
        for (const other of others) expect(other, `step ${step}: ${name}`).toEqual(expected)
        if (step % COMPARED_EVERY !== 0) continue
        const [first, ...more] = await Promise.all(targets.map((target) => observe(target, pageFacts === 1)))
        for (const one of more) expect(one, `after step ${step}`).toEqual(first)
      }
      for (const { store } of targets) expect(ledgerErrors(await store.readSide())).toEqual([])
    },
  )
})
