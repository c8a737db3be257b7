import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MUTANTS } from '../../mutants/catalogue'
import { type Judgement, judgeMutant, type RunSentences } from '../../mutants/judge'
import { readPlan } from '../../mutants/mutants'
import { describeRow, totals } from '../../mutants/table'

it('names each mutant once, and the fixture app has its fault', () => {
  const fixture = join(import.meta.dirname, '../../fixtures/mutants-app')
  const sources = readdirSync(fixture, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readFileSync(join(fixture, path), 'utf8'))
    .join('\n')
  const names = MUTANTS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => !sources.includes(`'${name}'`))).toEqual([])
  expect(readPlan(['--only', 'wrong-key'])).toMatchObject({ value: { only: [{ name: 'wrong-key' }] } })
  expect(readPlan(['--app', 'vite', '--control', '2'])).toMatchObject({ value: { app: 'vite', controls: 2 } })
  expect(readPlan(['--app', 'vite'])).toMatchObject({ ok: false, error: { code: 2 } })
  expect(readPlan(['--app', 'svelte', '--control', '2'])).toMatchObject({ ok: false, error: { code: 2 } })
  expect(readPlan(['--only', 'tea'])).toMatchObject({ ok: false, error: { code: 2 } })
})

it('judges a run by the sentences that the control does not print', () => {
  const runOf = (exitCode: number, failures: readonly string[]): RunSentences => ({
    exitCode,
    failures,
    warnings: [],
    printed: [],
  })
  const judge = (run: RunSentences) => judgeMutant(run, runOf(0, ['lost 22 spans of 9ea1fb22']), { named: /wrong key/ })
  expect(judge(runOf(1, ['wrong key in 3 posts']))).toMatchObject({
    outcome: 'found',
    sentence: 'wrong key in 3 posts',
  })
  expect(judge(runOf(0, ['lost 7 spans of db07c7f8d74b']))).toMatchObject({
    outcome: 'missed',
    sentence: null,
    added: [],
  })
})

it('counts which faults the first screen names, and the most lines', () => {
  const [one, two] = MUTANTS
  if (one === undefined || two === undefined) throw new Error('there are two mutants')
  const judged = (clarity: Judgement['clarity'], lines: number): Judgement => ({
    outcome: 'found',
    sentence: 'x',
    added: ['x'],
    clarity,
    lines,
  })
  const rows = [
    { mutant: one, without: judged('named', 30), with: null },
    { mutant: two, without: judged('wrong', 58), with: null },
  ]
  expect(totals(rows)).toContain('  first screen: 1 named, 0 vague, 1 wrong of 2 found; at most 58 lines')
  expect(describeRow({ mutant: one, without: judged('vague', 30), with: null })).toContain('found, vague, 30 lines')
})
