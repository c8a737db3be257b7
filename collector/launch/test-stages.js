import { join } from 'node:path'
import { countPlaywright, countVitest } from './test-counts.js'

/**
 * A part of the tests. `count` reads the report that the runner leaves; a check has none and counts as one. What is
 * `onlyNamed` does not run unless somebody asks for it by its name.
 * @typedef {{
 *   name: string,
 *   needs: readonly ('build' | 'browser')[],
 *   script: string,
 *   args: readonly string[],
 *   env: Readonly<Record<string, string>>,
 *   report: string | null,
 *   onlyNamed?: boolean,
 *   count: (report: string) => import('./test-counts.js').Counts,
 * }} Stage
 */

const ONE = () => ({ passed: 1, failed: 0, skipped: 0 })

/**
 * All parts, in the order in which they run: the quick ones tell first.
 * @param {string} output folder of this run
 * @returns {readonly Stage[]}
 */
export const allStages = (output) => [
  check('lint', '@biomejs/biome/bin/biome', ['check', '.']),
  check('types', 'typescript/bin/tsc', ['--noEmit', '-p', '.']),
  vitest('unit', [], output, ['unit', 'unit-isolated']),
  vitest('repo', [], output),
  vitest('flow', ['build'], output),
  vitest('faults', [], output),
  {
    name: 'e2e',
    needs: ['build', 'browser'],
    script: '@playwright/test/cli.js',
    args: ['test', '--config', 'tests/e2e/playwright.config.ts'],
    env: { WAYSTATION_E2E_REPORT: join(output, 'e2e.json'), WAYSTATION_E2E_OUTPUT: join(output, 'e2e') },
    report: join(output, 'e2e.json'),
    count: countPlaywright,
  },
  // One needs bodies from outside, the other ten minutes.
  { ...vitest('corpus', [], output), onlyNamed: true },
  { ...vitest('soak', [], output), onlyNamed: true },
]

/**
 * @param {string} name
 * @param {string} script in node_modules
 * @param {readonly string[]} args
 * @returns {Stage}
 */
const check = (name, script, args) => ({ name, needs: [], script, args, env: {}, report: null, count: ONE })

/**
 * @param {string} name
 * @param {Stage['needs']} needs
 * @param {string} output
 * @param {readonly string[]} [projects] of Vitest
 * @returns {Stage}
 */
function vitest(name, needs, output, projects = [name]) {
  const report = join(output, `${name}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  return {
    name,
    needs,
    script: 'vitest/vitest.mjs',
    args: [
      'run',
      '--config',
      'tests/vitest.config.ts',
      ...projects.flatMap((project) => ['--project', project]),
      ...reporters,
    ],
    env: {},
    report,
    count: countVitest,
  }
}
