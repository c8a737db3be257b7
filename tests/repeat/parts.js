import { join } from 'node:path'
import { readPlaywright, readVitest } from './flakes.js'

/**
 * A group of tests: how often it is repeated, and how its report is read.
 * @typedef {{ name: string, times: number, needs: readonly ('collector' | 'build' | 'browser')[], script: string, args: readonly string[], env: Readonly<Record<string, string>>, read: (report: string) => import('./flakes.js').Run }} Part
 */

const VITEST = ['run', '--config', 'tests/vitest.config.ts', '--reporter=json']
/** Test files share their modules: a run takes a third of the time, and leftovers of one file show in the next. */
const TOGETHER = ['--pool=threads', '--no-isolate']
/** Unit tests of the evaluator and of the kit. */
const UNITS = ['verdict', 'kit']

/**
 * @param {string} report file that a run leaves
 * @returns {readonly Part[]}
 */
export const allParts = (report) => [
  {
    name: 'unit',
    times: 100,
    needs: [],
    script: 'vitest/vitest.mjs',
    args: [
      ...VITEST,
      `--outputFile.json=${report}`,
      '--project',
      'unit',
      ...TOGETHER,
      ...UNITS.map((name) => join('tests', 'unit', name, '/')),
    ],
    env: {},
    read: readVitest,
  },
  {
    name: 'vitest',
    times: 100,
    needs: ['collector'],
    script: 'vitest/vitest.mjs',
    args: [...VITEST, `--outputFile.json=${report}`, '--project', 'flow', join('tests', 'flow', 'kit-')],
    env: {},
    read: readVitest,
  },
  {
    name: 'playwright',
    times: 20,
    needs: ['build', 'browser'],
    script: '@playwright/test/cli.js',
    args: ['test', '--config', 'tests/e2e/playwright.config.ts', 'kit-'],
    env: { WAYSTATION_E2E_REPORT: report },
    read: readPlaywright,
  },
  {
    name: 'golden',
    // It packs Waystation, builds the sample app once, and runs it 20 times.
    times: 1,
    needs: ['collector', 'browser'],
    script: '@playwright/test/cli.js',
    args: ['test', '--config', 'tests/e2e/playwright.config.ts', 'sample-app', '-g', 'is built|golden file'],
    env: { WAYSTATION_E2E_REPORT: report, WAYSTATION_E2E_GOLDEN_RUNS: '20' },
    read: readPlaywright,
  },
]
