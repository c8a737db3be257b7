import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeSuiteFolder, readSuiteReports } from '../../../collector/runs/suite-reports'
import { appendToRunFile, MOST_RUN_FILE_BYTES, readRunPlan } from '../../../lib/kit/run-file'
import { writeTestLimit } from '../../../lib/verdict/expectations/limited-tests'
import { writeTestAllows } from '../../../lib/verdict/expectations/test-allows'
import { observed } from '../verdict/arrival/observed-test'

function runFolder() {
  const recording = mkdtempSync(join(tmpdir(), 'run-file-'))
  onTestFinished(() => rmSync(recording, { recursive: true }))
  const folder = makeSuiteFolder(recording, { pagesWithout: ['/legacy/*'] })
  return { folder, file: join(folder, `${process.pid}.jsonl`), env: { WAYSTATION_RUN_FOLDER: folder } }
}

const ALLOWS = { stamp: 'mine', traces: [], allow: [{ error: 'declined' }] }

describe('the folder in which tests report to their run', () => {
  it('has the plan of the run, and only its owner may read it', () => {
    const { folder, env } = runFolder()
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readRunPlan(env)).toEqual({ pagesWithout: ['/legacy/*'] })
    expect(readRunPlan({})).toEqual({ pagesWithout: [] })
  })

  it('has what browsers did, the errors that tests allow, and who set a rate limit', async () => {
    const { folder, file, env } = runFolder()
    appendToRunFile(observed({ stamp: 'one' }), env)
    appendToRunFile(writeTestAllows(ALLOWS), env)
    appendToRunFile(writeTestLimit('one'), env)
    appendToRunFile(observed({ stamp: 'two' }), env)
    // Another process of the suite.
    writeFileSync(join(folder, '1.jsonl'), `${JSON.stringify(observed({ stamp: 'three' }))}\n`)
    const { browsers, allows, limited, problems } = await readSuiteReports(folder)
    expect(browsers.map(({ stamp }) => stamp).sort()).toEqual(['one', 'three', 'two'])
    expect({ allows, limited, problems }).toEqual({ allows: [ALLOWS], limited: ['one'], problems: [] })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('is not written outside of a run, and read as empty where there is nothing', async () => {
    const { folder } = runFolder()
    appendToRunFile({ kind: 'one' }, {})
    appendToRunFile({ kind: 'one' }, { WAYSTATION_RUN_FOLDER: '' })
    expect(readdirSync(folder)).toEqual(['plan.json'])
    expect(await readSuiteReports(folder)).toEqual({ browsers: [], allows: [], limited: [], problems: [] })
  })

  it('names lines that cannot be read, and reads the others', async () => {
    const { folder, file, env } = runFolder()
    writeFileSync(
      file,
      'no json\n{"kind":7}\n{"kind":"allowed errors","stamp":7}\n{"kind":"browser","test":7}\n{"kind":"rate limit"}\n',
    )
    appendToRunFile(observed(), env)
    const { browsers, problems } = await readSuiteReports(folder)
    expect(browsers).toHaveLength(1)
    expect(problems).toEqual([
      `${file}, line 1 cannot be read: expected a JSON object of kind browser, allowed errors or rate limit`,
      `${file}, line 2 cannot be read: expected a JSON object of kind browser, allowed errors or rate limit`,
      expect.stringContaining(`${file}, line 3 cannot be read: stamp: `),
      expect.stringContaining(`${file}, line 4 cannot be read: test: `),
      expect.stringContaining(`${file}, line 5 cannot be read: stamp: `),
    ])
    writeFileSync(file, 'x\n'.repeat(12))
    expect((await readSuiteReports(folder)).problems.slice(9)).toEqual([
      expect.stringContaining('line 10 cannot be read'),
      '2 more lines cannot be read',
    ])
  })

  it('is limited in its size, and so is an entry', async () => {
    const { folder, file, env } = runFolder()
    expect(() => appendToRunFile({ kind: 'large', text: 'x'.repeat(16 * 1024 * 1024) }, env)).toThrow(
      /at most 16777216 bytes, got 1677/,
    )
    appendToRunFile(observed(), env)
    expect(await readSuiteReports(folder, { most: 10 })).toEqual({
      browsers: [],
      allows: [],
      limited: [],
      problems: ['the tests reported more than 10 bytes; the rest is not judged'],
    })
    truncateSync(file, MOST_RUN_FILE_BYTES - 5)
    expect(() => appendToRunFile({ kind: 'two' }, env)).toThrow(`${file} is full`)
  })
})
