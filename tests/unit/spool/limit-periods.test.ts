import { afterAll, describe, expect, it } from 'vitest'
import type { StoredLimit } from '../../../collector/spool/submission'
import { accepted, type InProcessSpool, openInProcess, removeFolders, seqOf, submission } from './in-process-spool'

afterAll(removeFolders)

const NOW = 1_700_000_000_000

const limit = (category: string, seconds: number, more: Partial<StoredLimit> = {}): StoredLimit => {
  const receivedAt = more.receivedAt ?? NOW
  return {
    publicKey: 'key',
    project: '1',
    category,
    until: receivedAt + seconds * 1000,
    receivedAt,
    reason: null,
    scope: 'key',
    sourceSeq: 7,
    ...more,
  }
}

const spells = (spool: InProcessSpool): readonly unknown[] =>
  spool.db
    .prepare('SELECT category, received_at - ? AS told, until - ? AS until, source_seq, cut FROM limit_periods')
    .all(NOW, NOW)

const cutOf = (spool: InProcessSpool): Readonly<Record<string, number>> =>
  Object.fromEntries(
    (spool.db.prepare('SELECT category, cut FROM limit_periods').all() as { category: string; cut: number }[]).map(
      ({ category, cut }) => [category, cut],
    ),
  )

/** A record of which so much was cut, and the rest accepted. */
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

describe('a stretch of being limited', () => {
  it('is one while it is told again before its end, and ends with the longest', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 60)])
    await spool.storeLimits([limit('error', 60, { receivedAt: NOW + 30_000, sourceSeq: 8 })])
    await spool.storeLimits([limit('error', 1, { receivedAt: NOW + 31_000 })])
    expect(spells(spool)).toEqual([{ category: 'error', told: 0, until: 90_000, source_seq: 7, cut: 0 }])
  })

  it('is another one once the first was over', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 60)])
    await spool.storeLimits([limit('error', 60, { receivedAt: NOW + 60_000, sourceSeq: 8 })])
    expect(spells(spool)).toMatchObject([
      { told: 0, until: 60_000, source_seq: 7 },
      { told: 60_000, until: 120_000, source_seq: 8 },
    ])
  })

  it('is of one key, project and category', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 60), limit('error', 60, { project: '2' }), limit('span', 60)])
    expect(spells(spool)).toHaveLength(3)
  })

  it('that is over as it is told is none', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 0)])
    expect(spells(spool)).toEqual([])
  })

  it('ends earlier where the clock was set back since', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 60)])
    await spool.storeLimits([limit('error', 60, { receivedAt: NOW - 86_400_000 })])
    expect(spells(spool)).toMatchObject([{ told: -86_400_000, until: -86_340_000 }])
  })

  it.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('stays one where the clock is set %s while it runs', async (_where, by) => {
    let now = NOW
    const spool = openInProcess({ now: () => now })
    await spool.storeLimits([limit('error', 60)])
    now += 10_000 + by
    await spool.correctLimits([{ ...limit('error', 60, { receivedAt: NOW + by }), by }])
    expect(spells(spool)).toEqual([
      { category: 'error', told: Math.min(0, by), until: 60_000 + by, source_seq: 7, cut: 0 },
    ])
    await spool.storeLimits([limit('error', 90, { receivedAt: NOW + by + 10_000 })])
    expect(spells(spool)).toMatchObject([{ until: 100_000 + by }])
  })

  it('is one of the last 200 of a project', async () => {
    const spool = openInProcess({})
    for (let n = 0; n < 205; n += 1)
      await spool.storeLimits([limit(`category${n}`, 60), limit('error', 60, { project: '2' })])
    expect(spells(spool)).toHaveLength(201)
    expect(Object.keys(cutOf(spool))).not.toContain('category4')
    expect(Object.keys(cutOf(spool))).toContain('category5')
  })
})

describe('what was cut meanwhile', () => {
  it('is counted by quantity under the limit of its category', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('span', 60), limit('error', 60)])
    await cut(spool, [
      ['span', 40, true],
      ['error', 1, false],
    ])
    await cut(spool, [['span', 2, true]])
    expect(cutOf(spool)).toEqual({ span: 42, error: 0 })
  })

  it('is counted under another name of the category, and last under that of everything', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('all', 60), limit('metric', 60)])
    await cut(spool, [
      ['trace_metric', 3, true],
      ['session', 1, true],
    ])
    expect(cutOf(spool)).toEqual({ all: 1, metric: 3 })
  })

  it('is counted where nothing was left to post', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 60)])
    const seq = await seqOf(spool.append(submission()))
    await spool.settle(seq, [{ item: -1, outcome: 'rate_limited', reason: 'limited' }], [])
    await spool.settle(seq, [{ item: -1, outcome: 'rate_limited', reason: 'limited' }], [])
    expect(cutOf(spool)).toEqual({ error: 1 })
  })

  it('is neither what upstream refused nor what only depends on what was cut', async () => {
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

  it('goes when it is over, and with it nothing of what was limited then', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 60), limit('span', 60)])
    await spool.correctLimits([{ ...limit('error', 60, { until: 0 }), by: 0 }])
    expect(stored(spool)).toEqual([{ category: 'span' }])
    expect(spells(spool)).toHaveLength(2)
  })

  it('stays where one of no time is told', async () => {
    const spool = openInProcess({})
    await spool.storeLimits([limit('error', 60)])
    await spool.storeLimits([limit('error', 0)])
    expect(stored(spool)).toEqual([{ category: 'error' }])
  })
})
