import { describe, expect, it } from 'vitest'
import { journalSince, readSince, timeOfFact } from '../../../collector/cli/since'

const NOW = Date.parse('2026-11-21T12:00:00Z')

const NO_MARKS = { marks: async () => [] }

describe('the start of the part that is read', () => {
  it.each([
    ['now', { from: 'now' }],
    ['0', { from: 'number', n: 0 }],
    ['4711', { from: 'number', n: 4711 }],
    ['90s', { from: 'time', at: NOW - 90_000 }],
    ['2h', { from: 'time', at: NOW - 7_200_000 }],
    ['2026-11-21T11:00:00Z', { from: 'time', at: NOW - 3_600_000 }],
    ['before-fix', { from: 'mark', name: 'before-fix' }],
    ['Now', null],
    ['last week', null],
    ['-1', null],
    ['1.5', null],
    ['10 m', null],
    ['2026-13-40', null],
    ['', null],
  ])('is parsed from %j', (text, since) => {
    expect(readSince(text, NOW)).toEqual(since)
  })

  it('is found for a time in few requests, also when old facts are gone', async () => {
    for (const kept of [1, 37, 1000]) {
      // Ten facts a second; those before `kept` are evicted.
      const all = Array.from({ length: 1000 }, (_, index) => ({ n: index + 1, at: 5000 + index * 100 }))
      for (const at of [0, 5000, 5050, 5100, 40_000, 104_900, 104_950, 200_000]) {
        let requests = 0
        const found = await journalSince(
          { from: 'time', at },
          {
            ...NO_MARKS,
            head: async () => 1000,
            fact: async (from) => {
              requests += 1
              const fact = all.find(({ n }) => n >= from && n >= kept)
              return fact === undefined ? null : { ...fact, kind: 'received', seq: 1 }
            },
          },
        )
        const facts = all.filter(({ n }) => n >= kept)
        expect(facts.filter(({ n }) => n > found)).toEqual(facts.filter((fact) => fact.at >= at))
        expect(requests).toBeLessThanOrEqual(11)
      }
    }
  })

  it('is the newest fact for now, and the number itself for a number', async () => {
    const dated = { ...NO_MARKS, head: async () => 12, fact: async () => null }
    expect(await journalSince({ from: 'now' }, dated)).toBe(12)
    expect(await journalSince({ from: 'number', n: 3 }, dated)).toBe(3)
  })

  it('is the number of a mark, which must exist', async () => {
    const journal = {
      head: async () => 12,
      fact: async () => null,
      marks: async () => [{ name: 'before', journal: 7, at: 1 }],
    }
    expect(await journalSince({ from: 'mark', name: 'before' }, journal)).toBe(7)
    await expect(journalSince({ from: 'mark', name: 'befor' }, journal)).rejects.toThrow(
      'There is no mark befor; did you mean before?',
    )
    await expect(journalSince({ from: 'mark', name: 'x' }, { ...journal, ...NO_MARKS })).rejects.toThrow(
      'There is no mark x: set it with waystation mark x.',
    )
  })
})

describe('the time of a journal number', () => {
  const journal = {
    facts: async (after: number) => ({
      facts: [5, 6, 7].filter((n) => n > after).map((n) => ({ n, at: n * 10, kind: 'received' as const, seq: n })),
      next: 7,
      oldest: 5,
    }),
  }

  it('is the time of its fact', async () => {
    expect(await timeOfFact(6, journal)).toBe(60)
  })

  it('is unknown when the fact is evicted or does not exist', async () => {
    expect([await timeOfFact(3, journal), await timeOfFact(9, journal), await timeOfFact(0, journal)]).toEqual([
      null,
      null,
      null,
    ])
  })
})
