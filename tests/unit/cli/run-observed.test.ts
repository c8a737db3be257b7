import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeSuiteFolder, readSuite } from '../../../collector/cli/run-observed'
import { appendToRun, readRunPlan } from '../../../lib/kit/run-file'
import { observed } from '../verdict/arrival/observed-test'

let recording: string

beforeEach(() => {
  recording = mkdtempSync(join(tmpdir(), 'run-observed-'))
})
afterEach(() => rmSync(recording, { recursive: true }))

it('gives the plan of the run to the workers, and their tests to the run', async () => {
  const folder = makeSuiteFolder(recording, { pagesWithout: ['/legacy/*'] })
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const env = { WAYSTATION_RUN_FOLDER: folder }
  expect(readRunPlan(env)).toEqual({ pagesWithout: ['/legacy/*'] })
  appendToRun(observed({ stamp: 'one' }), env)
  appendToRun(observed({ stamp: 'two' }), env)
  const { tests, gaps } = await readSuite(folder)
  expect({ stamps: tests.map(({ stamp }) => stamp), gaps }).toEqual({ stamps: ['one', 'two'], gaps: [] })
})

it('writes nothing outside of a run', () => {
  appendToRun(observed(), {})
  expect(readRunPlan({})).toEqual({ pagesWithout: [] })
})

it('names a line that cannot be read, and reads the rest', async () => {
  const folder = makeSuiteFolder(recording, { pagesWithout: [] })
  const lines = [JSON.stringify(observed()), '{"kind":"browser","test":', JSON.stringify({ kind: 'browser', test: 7 })]
  writeFileSync(join(folder, '7.jsonl'), lines.join('\n'))
  const { tests, gaps } = await readSuite(folder)
  expect(tests).toHaveLength(1)
  expect(gaps).toEqual([
    expect.stringMatching(/^line 2 of .*7\.jsonl cannot be read: Unexpected end of JSON input/),
    expect.stringMatching(/^line 3 of .*7\.jsonl cannot be read: test: /),
  ])
})
