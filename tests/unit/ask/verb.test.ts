import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { own } from '../../../lib/ask/answer'
import { POSITIONALS } from '../../../lib/ask/calls'
import { AskError, type AskSources } from '../../../lib/ask/sources'
import { spanFilter } from '../../../lib/ask/span-filter'
import { defineVerb } from '../../../lib/ask/verb'
import { VERBS } from '../../../lib/ask/verbs'

const NO_SOURCES = {} as AskSources
const verb = defineVerb({
  name: 'search',
  description: 'Searches.',
  input: {
    kind: z.enum(['traces', 'spans']),
    limit: z.int().min(1).max(100).optional(),
    query: z.string().max(5).optional(),
    full: z.boolean().optional(),
  },
  run: async (_sources, { kind, limit = 20 }) => ({ heading: own(`${kind} ${limit}`), sections: [] }),
})

describe('a verb', () => {
  it('answers valid arguments', async () => {
    expect((await verb.run(NO_SOURCES, { kind: 'spans', limit: 3 })).heading).toEqual({ parts: ['spans 3'] })
  })

  it.each([
    [{}, 'search requires kind; it must be one of traces, spans'],
    [{ kind: 'trace' }, 'kind must be one of traces, spans, got "trace"'],
    [{ kind: 'spans', limit: 101 }, 'limit must be a whole number from 1 to 100, got 101'],
    [{ kind: 'spans', limit: 'many' }, 'limit must be a whole number from 1 to 100, got "many"'],
    [{ kind: 'spans', query: 'abcdef' }, 'query must be a text of at most 5 characters, got "abcdef"'],
    [{ kind: 'spans', full: 'yes' }, 'full must be true or false, got "yes"'],
    [{ kind: 'spans', limt: 3 }, 'search has no argument "limt"; did you mean limit?'],
  ])('refuses %j with the value and the valid ones', (given, message) => {
    expect(() => verb.run(NO_SOURCES, given)).toThrow(new AskError(message))
  })
})

describe('all verbs', () => {
  it('have distinct names, a description and a cursor, and positional arguments that exist', () => {
    expect(new Set(VERBS.map(({ name }) => name)).size).toBe(VERBS.length)
    for (const { name, description, properties } of VERBS) {
      expect(description.length).toBeGreaterThan(20)
      expect(Object.keys(properties)).toContain('cursor')
      expect(Object.keys(properties)).toEqual(expect.arrayContaining([...(POSITIONALS[name] ?? [])]))
    }
  })
})

describe('a query of spans', () => {
  it('becomes parameters', () => {
    expect(spanFilter('op:db name:"SELECT 1" duration:>10ms time:<2h cart order')).toEqual({
      op: 'db',
      name: 'SELECT 1',
      min_duration: '10ms',
      until: '2h',
      text: 'cart order',
    })
    expect(spanFilter('')).toEqual({})
  })

  it.each([
    ['-op:db', '-op:db: spans are found by whole values'],
    ['name:a*', 'name:a*: spans are found by whole values'],
    ['level:error', 'level:error: spans have no key level'],
    ['op:a op:b', 'op:b: op is given twice'],
    ['duration:10ms', 'duration:10ms: duration is compared by > or <'],
    ['op:>db', 'op:>db: op has no order'],
    ['name:"a', 'name:"a: the quotation has no end'],
  ])('is refused where parameters cannot express it: %s', (query, message) => {
    expect(() => spanFilter(query)).toThrow(message)
    expect(() => spanFilter(query)).toThrow(/Valid keys of spans: op, name, status, .*duration, time\./)
  })
})
