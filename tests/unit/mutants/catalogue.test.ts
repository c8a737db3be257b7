import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MUTANTS } from '../../mutants/catalogue'
import { readPlan } from '../../mutants/mutants'
import { describeRow, mutantTable, type Row, totals } from '../../mutants/table'

const FIXTURE = join(import.meta.dirname, '../../fixtures/mutants-app')
const sources = readdirSync(FIXTURE, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => readFileSync(join(FIXTURE, path), 'utf8'))
  .join('\n')

it.each(MUTANTS.map(({ name }) => name))('the fixture app has the fault %s', (name) => {
  expect(sources).toContain(`'${name}'`)
})

it('names each mutant once', () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length)
})

it.each([
  [['--only', 'wrong-key,init-twice'], { only: [{ name: 'wrong-key' }, { name: 'init-twice' }], controls: null }],
  [['--control', '20'], { controls: 20, columns: ['without', 'with'] }],
  [['--column', 'with'], { columns: ['with'] }],
])('reads the flags %j', (args, plan) => {
  expect(readPlan(args)).toMatchObject({ ok: true, value: plan })
})

it.each([
  [['--only', 'tea'], '--only names no mutant "tea"; see --list'],
  [['--control', '0'], '--control must be a positive integer, got "0"'],
  [['--column', 'tea'], '--column must be without or with, got "tea"'],
  [['quick'], 'test:mutants takes only flags, got "quick"'],
])('refuses %j', (args, message) => {
  expect(readPlan(args)).toMatchObject({ ok: false, error: { code: 2, text: expect.stringContaining(message) } })
})

it('counts outcomes without those that are out of reach', () => {
  const about = { about: '', named: /x/ }
  const rows: readonly Row[] = [
    {
      mutant: { ...about, name: 'a' },
      without: { outcome: 'missed', sentence: null, added: ['y'] },
      with: { outcome: 'found', sentence: 'x', added: ['x'] },
    },
    {
      mutant: { ...about, name: 'b' },
      without: { outcome: 'found', sentence: null, added: ['y'] },
      with: { outcome: 'found', sentence: null, added: ['y'] },
    },
    {
      mutant: { ...about, name: 'c', outOfReach: true },
      without: { outcome: 'missed', sentence: null, added: ['y'] },
      with: null,
    },
  ]
  expect(totals(rows)).toEqual([
    'without profile: 1 found (0 named by their cause), 0 warned, 0 incomplete, 1 missed, 0 broken of 2',
    '  should be found: a',
    'with profile: 2 found (1 named by their cause), 0 warned, 0 incomplete, 0 missed, 0 broken of 2',
  ])
  expect(rows.map(describeRow).slice(0, 2)).toEqual([
    'a\n  without profile: missed\n    y\n  with profile: found\n    x',
    'b\n  without profile: found, cause not named\n    y\n  with profile: found, cause not named\n    y',
  ])
  const lines = mutantTable(rows).split('\n').slice(2)
  expect(lines.map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
    'a | missed | found',
    'b | found, cause not named | found, cause not named',
    'c (out of reach) | missed | –',
  ])
})
