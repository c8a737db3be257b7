import { afterAll, expect, it } from 'vitest'
import { OUTCOMES } from '../../../lib/protocol/outcome'
import { randomFrom } from '../../faults/random'
import { removeFolders } from './in-process-spool'
import { RandomTraffic } from './random-traffic'

afterAll(removeFolders)

/** `LEDGER_SEED=7` generates other traffic. */
const SEEDS = process.env.LEDGER_SEED === undefined ? [1, 2, 3] : [Number(process.env.LEDGER_SEED)]
const STEPS = 300
const met = new Set<unknown>()

it.each(SEEDS)(
  'ledger totals balance, overall and per stamp, after every commit of random traffic (seed %i)',
  async (seed) => {
    const traffic = new RandomTraffic(randomFrom(seed))
    for (let step = 1; step <= STEPS; step += 1) {
      const did = await traffic.step()
      expect(traffic.errors(), `step ${step}: ${did}`).toEqual([])
    }
    for (const entry of traffic.spool.db.prepare('SELECT DISTINCT entry FROM ledger_totals').pluck().all())
      met.add(entry)
  },
  60_000,
)

it('the random traffic produces every kind of ledger entry', () => {
  // Only earlier versions wrote `overflow`.
  const outcomes = OUTCOMES.filter((outcome) => outcome !== 'overflow')
  expect([...met].sort()).toEqual([...outcomes, 'received', 'pending', 'client_discard'].sort())
})
