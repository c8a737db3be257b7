import { join } from 'node:path'
import DatabaseFile from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { RateLimits } from '../../../collector/relay/running-limits'
import { readStoredLimits } from '../../../collector/spool/read/read-limits'
import { seededRandom } from '../protocol/seeded-random'
import { openInProcess, removeFolders, temporaryFolder } from '../spool/in-process-spool'
import { limit, NOW } from './prepared'

afterAll(removeFolders)

const HOUR = 3_600_000
const CATEGORIES = ['error', 'transaction', 'span', 'all']

/** The limits that a reader returns. */
function stored(folder: string) {
  const db = new DatabaseFile(':memory:')
  db.prepare('ATTACH ? AS spool').run(join(folder, 'spool.db'))
  const rateLimits = readStoredLimits(db)
  db.close()
  return rateLimits
}

/** Rate limits over a real spool, two clocks, and restarts between which time passes. */
function living() {
  const folder = temporaryFolder()
  let wall = NOW
  let ran = 0
  const clock = { now: () => wall, monotonic: () => ran }
  const open = () => {
    const spool = openInProcess({ folder, now: () => wall })
    return { spool, rateLimits: new RateLimits(stored(folder), clock) }
  }
  let life = open()
  const correct = async (): Promise<void> => {
    const corrected = life.rateLimits.corrected()
    if (corrected.length > 0) await life.spool.correctLimits(corrected)
  }
  return {
    left: (): Readonly<Record<string, number>> =>
      Object.fromEntries(life.rateLimits.active().map(({ category, until }) => [category, until - wall])),
    report: async (category: string, ms: number): Promise<void> => {
      const reported = [limit(category, 0, { receivedAt: wall, until: wall + ms })]
      life.rateLimits.add(reported)
      await life.spool.storeLimits(reported)
    },
    pass: (ms: number): void => {
      wall += ms
      ran += ms
    },
    jump: async (ms: number): Promise<void> => {
      wall += ms
      await correct()
    },
    restart: async (stoppedMs: number): Promise<void> => {
      await correct()
      life.spool.close()
      wall += stoppedMs
      ran = 7
      life = open()
    },
  }
}

describe('limits over a long time', () => {
  it.each([1, 2, 3, 6, 8])(
    'last as long as the longest reported time, through random clocks and restarts (seed %i)',
    async (seed) => {
      const random = seededRandom(seed)
      const below = (most: number): number => Math.floor(random() * most)
      const { left, report, pass, jump, restart } = living()
      /** The expected remaining time in ms. */
      const expected = new Map<string, number>()
      const passes = (ms: number): void => {
        for (const [category, ms0] of expected) expected.set(category, ms0 - ms)
      }
      let limited = 0
      for (let step = 0; step < 150; step += 1) {
        const ms = below(60_000)
        const what = random()
        if (what < 0.4) {
          const category = CATEGORIES[below(CATEGORIES.length)] ?? 'error'
          const lasts = below(5 * 60_000)
          await report(category, lasts)
          expected.set(category, Math.max(expected.get(category) ?? 0, lasts))
        } else if (what < 0.75) {
          pass(ms)
          passes(ms)
        } else if (what < 0.9) {
          await jump((random() < 0.5 ? -1 : 1) * (below(48 * HOUR) + 10_000))
        } else {
          await restart(ms)
          passes(ms)
        }
        const running = [...expected].filter(([, rest]) => rest > 0)
        limited += running.length
        expect({ step, left: left() }).toEqual({ step, left: Object.fromEntries(running) })
      }
      expect(limited).toBeGreaterThan(100)
    },
  )

  it('end after at most their reported time, where the clock was set back while the collector was stopped', async () => {
    const { left, report, restart } = living()
    await report('error', 60_000)
    await restart(-24 * HOUR)
    expect(left()).toEqual({ error: 60_000 })
  })
})
