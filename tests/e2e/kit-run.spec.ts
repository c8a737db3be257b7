import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@playwright/test'
import { startCommand } from '../flow/run-process'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the tests of `run.nested.ts` with these words in their titles within `waystation run`. */
async function runTests(words: string) {
  const data = mkdtempSync(join(tmpdir(), 'kit-run-data-'))
  const { WAYSTATION_CHROMIUM = '', HOME = '' } = process.env
  const env = {
    WAYSTATION_DATA: data,
    WAYSTATION_UPSTREAM: 'stand-in',
    KIT_OUTPUT: join(data, 'output'),
    WAYSTATION_CHROMIUM,
    HOME,
  }
  const playwright = [join(root, 'node_modules/@playwright/test/cli.js'), 'test', '--reporter=line', '--retries=1']
  const config = `--config=${join(root, 'tests/e2e/kit/playwright.config.ts')}`
  const args = ['run', '--', process.execPath, ...playwright, config, '--workers=1', `--grep=${words}`, 'run.nested.ts']
  const { code, out, err } = await startCommand(args, env, undefined, data).ended
  rmSync(data, { recursive: true, force: true })
  return { code, out, text: err.replaceAll(/\s+/g, ' '), all: `${out}\n${err}` }
}

test.describe.configure({ timeout: 180_000 })

test('a run judges the last attempt of a test, and says that it was flaky', async () => {
  const { code, out, text, all } = await runTests('passes on its retry')
  expect(out).toContain('1 flaky')
  expect(text, all).toMatch(/1 test passed on retry 1 \(flaky\): passes on its retry \(run\.nested\.ts:\d+\)/)
  expect(text).not.toContain('only at first')
  expect(code, all).toBe(0)
})

test('losses to a rate limit that a test set do not fail its run', async () => {
  const { code, text, all } = await runTests('sets a rate limit')
  expect(text, all).toMatch(
    /\d error lost to a rate limit \(losses\): set by the test sets a rate limit \(run\.nested\.ts:\d+\)/,
  )
  expect(code, all).toBe(0)
})
