import { describe, expect, it } from 'vitest'
import { journalSince, readSince } from '../../../collector/cli/since'

const NOW = Date.parse('2026-11-21T12:00:00Z')

describe('from when on', () => {
  it.each([
    ['now', { from: 'now' }],
    ['0', { from: 'number', n: 0 }],
    ['4711', { from: 'number', n: 4711 }],
    ['90s', { from: 'time', at: NOW - 90_000 }],
    ['2h', { from: 'time', at: NOW - 7_200_000 }],
    ['2026-11-21T11:00:00Z', { from: 'time', at: NOW - 3_600_000 }],
    ['yesterday', null],
    ['-1', null],
    ['1.5', null],
    ['10 m', null],
    ['2026-13-40', null],
    ['', null],
  ])('%j is read', (text, since) => {
    expect(readSince(text, NOW)).toEqual(since)
  })

  it('finds the number behind which all facts are of a time or later, in few questions, also where facts are gone', async () => {
    for (const kept of [1, 37, 1000]) {
      // Ten facts a second; those before `kept` have made room.
      const all = Array.from({ length: 1000 }, (_, index) => ({ n: index + 1, at: 5000 + index * 100 }))
      for (const at of [0, 5000, 5050, 5100, 40_000, 104_900, 104_950, 200_000]) {
        let questions = 0
        const found = await journalSince(
          { from: 'time', at },
          {
            head: async () => 1000,
            fact: async (from) => {
              questions += 1
              const fact = all.find(({ n }) => n >= from && n >= kept)
              return fact === undefined ? null : { ...fact, kind: 'received', seq: 1 }
            },
          },
        )
        const facts = all.filter(({ n }) => n >= kept)
        expect(facts.filter(({ n }) => n > found)).toEqual(facts.filter((fact) => fact.at >= at))
        expect(questions).toBeLessThanOrEqual(11)
      }
    }
  })

  it('is the head for what comes from now on, and a number as it is', async () => {
    const dated = { head: async () => 12, fact: async () => null }
    expect(await journalSince({ from: 'now' }, dated)).toBe(12)
    expect(await journalSince({ from: 'number', n: 3 }, dated)).toBe(3)
  })
})
