import { afterAll, describe, expect, it } from 'vitest'
import type { StoredLimit } from '../../../collector/spool/submission'
import { accepted, type InProcessSpool, openInProcess, removeFolders, seqOf, submission } from './in-process-spool'
import { storedLimit } from './stored-limit'

afterAll(removeFolders)

const NOW = 1_700_000_000_000

const limit = (category: string, seconds: number, more: Partial<StoredLimit> = {}): StoredLimit =>
  storedLimit(category, seconds, { receivedAt: NOW, scope: 'key', sourceSeq: 7, ...more })

const periods = (spool: InProcessSpool): readonly unknown[] =>
  spool.db
    .prepare('SELECT category, received_at - ? AS received, until - ? AS until, source_seq, cut FROM limit_periods')
    .all(NOW, NOW)

const cutOf = (spool: InProcessSpool): Readonly<Record<string, number>> =>
  Object.fromEntries(
    (spool.db.prepare('SELECT category, cut FROM limit_periods').all() as { category: string; cut: number }[]).map(
      ({ category, cut }) => [category, cut],
    ),
  )

/** Appends a submission, and decides that some of its items were cut and the others accepted. */
async function cut(
  spool: InProcessSpool,
  items: readonly (readonly [category: string, quantity: number, cut: boolean])[],
) {
  const quantities = items.map(([category, quantity]) => ({ category, quantity }))
  const seq = await seqOf(spool.append(submission({ quantities })))
  const decision = items.map(([, , isCut], item) => ({
    item,
    outcome: isCut ? ('rate_limited' as const) : ('accepted' as const),
    reason: isCut ? 'limited' : null,
  }))
  await spool.recordAttempt(accepted(seq, { decision }))
}

describe('a limit period', () => {
  it('is prolonged by a limit received before its end, and ends with the longest', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 60)])
    await spool.storeLimits([limit('error', 60, { receivedAt: NOW + 30_000, sourceSeq: 8 })])
    await spool.storeLimits([limit('error', 1, { receivedAt: NOW + 31_000 })])
    expect(periods(spool)).toEqual([{ category: 'error', received: 0, until: 90_000, source_seq: 7, cut: 0 }])
  })

  it('is a new one once the first has ended', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 60)])
    await spool.storeLimits([limit('error', 60, { receivedAt: NOW + 60_000, sourceSeq: 8 })])
    expect(periods(spool)).toMatchObject([
      { received: 0, until: 60_000, source_seq: 7 },
      { received: 60_000, until: 120_000, source_seq: 8 },
    ])
  })

  it('belongs to one key, project and category', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 60), limit('error', 60, { project: '2' }), limit('span', 60)])
    expect(periods(spool)).toHaveLength(3)
  })

  it('is not stored for a limit of zero seconds', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 0)])
    expect(periods(spool)).toEqual([])
  })

  it('ends earlier when the clock was set back', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 60)])
    await spool.storeLimits([limit('error', 60, { receivedAt: NOW - 86_400_000 })])
    expect(periods(spool)).toMatchObject([{ received: -86_400_000, until: -86_340_000 }])
  })

  it.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('continues when the clock is set %s', async (_where, by) => {
    let now = NOW
    const spool = openInProcess({ now: () => now })
    await spool.storeLimits([limit('error', 60)])
    now += 10_000 + by
    await spool.correctLimits([{ ...limit('error', 60, { receivedAt: NOW + by }), by }])
    expect(periods(spool)).toEqual([
      { category: 'error', received: Math.min(0, by), until: 60_000 + by, source_seq: 7, cut: 0 },
    ])
    await spool.storeLimits([limit('error', 90, { receivedAt: NOW + by + 10_000 })])
    expect(periods(spool)).toMatchObject([{ until: 100_000 + by }])
  })

  it('is one of the last 200 of a project', async () => {
    const spool = openInProcess({})
    for (let n = 0; n < 205; n += 1)
      await spool.storeLimits([limit(`category${n}`, 60), limit('error', 60, { project: '2' })])
    expect(periods(spool)).toHaveLength(201)
    expect(Object.keys(cutOf(spool))).not.toContain('category4')
    expect(Object.keys(cutOf(spool))).toContain('category5')
  })
})

describe('the quantity that was cut', () => {
  it('is counted in the period of its category', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('span', 60), limit('error', 60)])
    await cut(spool, [
      ['span', 40, true],
      ['error', 1, false],
    ])
    await cut(spool, [['span', 2, true]])
    expect(cutOf(spool)).toEqual({ span: 42, error: 0 })
  })

  it('is counted in the period of another name of the category, else in that of all categories', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('all', 60), limit('metric', 60)])
    await cut(spool, [
      ['trace_metric', 3, true],
      ['session', 1, true],
    ])
    expect(cutOf(spool)).toEqual({ all: 1, metric: 3 })
  })

  it('is counted when nothing was left to post', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 60)])
    const seq = await seqOf(spool.append(submission()))
    await spool.decideWithoutAttempt(seq, [{ item: -1, outcome: 'rate_limited', reason: 'limited' }], [])
    await spool.decideWithoutAttempt(seq, [{ item: -1, outcome: 'rate_limited', reason: 'limited' }], [])
    expect(cutOf(spool)).toEqual({ error: 1 })
  })

  it('excludes items that upstream refused and items that depend on a cut item', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 60), limit('attachment', 60)])
    const quantities = [
      { category: 'error', quantity: 1 },
      { category: 'attachment', quantity: 1 },
    ]
    const seq = await seqOf(spool.append(submission({ quantities })))
    await spool.recordAttempt(
      accepted(seq, {
        decision: [
          { item: 0, outcome: 'rate_limited', reason: 'upstream_429' },
          { item: 1, outcome: 'rate_limited', reason: 'depends_on_limited' },
        ],
      }),
    )
    expect(cutOf(spool)).toEqual({ error: 0, attachment: 0 })
  })
})

describe('a stored limit', () => {
  const stored = (spool: InProcessSpool): readonly unknown[] => spool.db.prepare('SELECT category FROM limits').all()

  it('is deleted when it ends; its period stays', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 60), limit('span', 60)])
    await spool.correctLimits([{ ...limit('error', 60, { until: 0 }), by: 0 }])
    expect(stored(spool)).toEqual([{ category: 'span' }])
    expect(periods(spool)).toHaveLength(2)
  })

  it('stays when a limit of zero seconds is received', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 60)])
    await spool.storeLimits([limit('error', 0)])
    expect(stored(spool)).toEqual([{ category: 'error' }])
  })
})
