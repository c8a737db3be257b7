import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { bundleCollector, bundleWithFaults } from './bundle-collector'
import {
  type End,
  type PlannedPoint,
  POINT_NAMES,
  planEnds,
  planRareEnds,
  RARE_POINT_NAMES,
  type Round,
  runRound,
} from './oracle'
import { randomFrom } from './random'

/** `FAULT_KILLS=200` runs the full suite. */
const KILLS = Number(process.env.FAULT_KILLS ?? 14)
/** The same seed plans the same ends and bodies; their exact times depend on the machine. */
const SEED = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000)
/** Kills per data folder, so that reading the folder after each kill stays fast. */
const KILLS_PER_FOLDER = 20
/** Further rounds for fault points that were missed, such as a checkpoint that ended too early. */
const MORE_TRIES = 6

const program = inject('faultsProgram')

describe('a killed collector', () => {
  it(
    `stores and relays every acknowledged envelope (${KILLS} kills)`,
    async () => {
      console.log(`FAULT_SEED=${SEED} FAULT_KILLS=${KILLS}`)
      const draw = randomFrom(SEED)
      const rounds: Round[] = []
      const run = async (ends: readonly End[], isTight = false): Promise<void> => {
        const round = await runRound({ program, draw, ends, isTight })
        rounds.push(round)
        console.log(`${total(rounds, 'kills')} kills, ${figures(round)}`)
        for (const sentence of round.broken) console.log(`  ${sentence}`)
      }
      const ends = planEnds(draw, KILLS)
      for (let from = 0; from < ends.length; from += KILLS_PER_FOLDER)
        await run(ends.slice(from, from + KILLS_PER_FOLDER))
      await run(planRareEnds(draw, Math.max(2, Math.floor(KILLS / 10))), true)
      const missing = (names: readonly PlannedPoint[]) =>
        names
          .filter((point) => !rounds.some(({ fired }) => fired.includes(point)))
          .map((point): End => ({ at: 'point', point, nth: 1 }))
      for (const names of [POINT_NAMES, RARE_POINT_NAMES])
        for (let tries = 0; tries < MORE_TRIES && missing(names).length > 0; tries += 1)
          await run(missing(names), names === RARE_POINT_NAMES)
      for (const point of [...POINT_NAMES, ...RARE_POINT_NAMES])
        console.log(`${point.padEnd(14)} ${rounds.flatMap(({ fired }) => fired).filter((one) => one === point).length}`)

      expect(rounds.flatMap(({ broken }) => broken)).toEqual([])
      expect(missing([...POINT_NAMES, ...RARE_POINT_NAMES])).toEqual([])
      expect(total(rounds, 'kills')).toBeGreaterThanOrEqual(KILLS)
      // Otherwise the kills interrupted nothing.
      expect(total(rounds, 'acknowledged')).toBeGreaterThan(5 * KILLS)
      expect(total(rounds, 'unanswered')).toBeGreaterThan(KILLS)
      expect(total(rounds, 'open')).toBeGreaterThan(0)
      expect(total(rounds, 'duplicates')).toBeGreaterThan(0)
      expect(total(rounds, 'duplicates')).toBeLessThanOrEqual(total(rounds, 'open'))
    },
    60_000 + KILLS * 20_000,
  )
})

describe('a fault point', () => {
  it('fires only in the bundle of the fault suite', async () => {
    const product = await bundleCollector()
    const firing = (program: string): readonly string[] =>
      readdirSync(dirname(program)).filter((name) =>
        readFileSync(join(dirname(program), name), 'utf8').includes('env.FAULT_AT'),
      )
    const [inProduct, inFaults] = [firing(product.program), firing(program)]
    product.remove()
    expect(inProduct).toEqual([])
    expect(inFaults).toContain('writer-thread.js')
  })
})

describe('the oracle', () => {
  it('finds lost envelopes when answers are sent 20 ms before the commit', async () => {
    const hasty = await bundleWithFaults([
      {
        file: 'collector/spool/spool.ts',
        from: 'append: (submission) => keeper.appendWithEviction(submission),',
        to: 'append: async (one) => setTimeout(() => void keeper.appendWithEviction(one), 20) && { seq: 1, journal: 1 },',
      },
    ])
    const ends = Array.from({ length: 3 }, (): End => ({ at: 'point', point: 'before_commit', nth: 30 }))
    const { broken } = await runRound({ program: hasty.program, draw: randomFrom(1), ends }).finally(hasty.remove)
    expect(broken).toContainEqual(expect.stringMatching(/acknowledged envelopes are lost/))
  })

  it('finds wrong ledger totals when they are written one commit late', async () => {
    const late = await bundleWithFaults([
      {
        file: 'collector/spool/ledger/ledger-totals.ts',
        from: 'const entries = this.#entries',
        to: 'const entries = globalThis.late ?? []; globalThis.late = this.#entries',
      },
    ])
    // Few envelopes have a stamp, so few kills lose one.
    const ends = Array.from({ length: 16 }, (): End => ({ at: 'point', point: 'after_commit', nth: 31 }))
    const { broken } = await runRound({ program: late.program, draw: randomFrom(1), ends }).finally(late.remove)
    expect(broken).toContainEqual(expect.stringMatching(/the totals of error/))
    expect(broken).toContainEqual(expect.stringMatching(/with stamp/))
  })
})

const total = (rounds: readonly Round[], name: 'kills' | 'acknowledged' | 'unanswered' | 'open' | 'duplicates') =>
  rounds.reduce((sum, round) => sum + round[name], 0)

const figures = ({ sent, acknowledged, unanswered, stored, open, duplicates }: Round): string =>
  `of ${sent} sent ${acknowledged} acknowledged, ${unanswered} without an answer, ${stored} stored; ${open} posts open at a kill, ${duplicates} duplicates upstream`
