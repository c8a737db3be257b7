import { describe, expect, it } from 'vitest'
import { DATA_CATEGORIES } from '../../../lib/protocol/data-category'
import { ALL, namesForSdks, takes } from '../../../lib/protocol/upstream-answer'

const taken = (limit: string): readonly string[] => [...DATA_CATEGORIES].filter((category) => takes(limit, category))

describe('a limit takes', () => {
  it.each([
    ['error', ['error']],
    ['metric', ['trace_metric']],
    ['trace_metric', ['trace_metric']],
    ['profile', ['profile', 'profile_chunk']],
    ['profile_chunk', ['profile_chunk']],
    ['profile_chunk_ui', ['profile_chunk']],
    ['log_byte', ['log_item']],
    ['attachment_item', ['attachment']],
    ['default', []],
    ['of_tomorrow', []],
    ['__proto__', []],
    ['', []],
  ])('of %s: %j', (limit, categories) => {
    expect(taken(limit)).toEqual(categories)
  })

  it('of all: everything, also what has no category that is known', () => {
    expect(taken(ALL)).toEqual([...DATA_CATEGORIES])
    expect(takes(ALL, 'of_tomorrow')).toBe(true)
  })
})

describe('what SDKs are told', () => {
  it('begins with the name that upstream used, and takes at least what that takes', () => {
    for (const limit of [...DATA_CATEGORIES, 'metric', 'profile_chunk_ui', 'log_byte', 'of_tomorrow']) {
      const names = namesForSdks(limit)
      expect(names[0]).toBe(limit)
      for (const category of taken(limit)) expect(names.some((name) => takes(name, category))).toBe(true)
      expect(new Set(names).size).toBe(names.length)
    }
  })
})
