import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newManifest, type RunManifest } from '../../../collector/runs/manifest'
import {
  collectorsOf,
  mergedManifest,
  mergedReports,
  mergeRuns,
  type Shard,
  shardGaps,
  sharedRun,
  unrepeatableFailures,
} from '../../../collector/runs/merge-runs'
import { runVerdict } from '../../../collector/runs/suite-reports'
import { migrate } from '../../../collector/spool/files'
import { attemptsOf } from '../../../lib/verdict/arrival/attempts'
import type { ObservedTest } from '../../../lib/verdict/arrival/observed'
import type { Judged, Report } from '../../../lib/verdict/expectations/report'
import { observed } from '../verdict/arrival/observed-test'

const REPORT: Report = {
  verdict: 'pass',
  reasons: [],
  judged: [],
  from: { submissions: 1, items: 1, stamp: null, first: 1, last: 1 },
  gaps: [],
  known: 0,
  acknowledged: 0,
  unacknowledged: [],
  knownFailures: [],
  fixed: [],
  flaky: [],
}
const NO_REPORTS = { browsers: [], allows: [], limited: [], problems: [] }

const failing = (id: string, group: Judged['group']): Judged => ({
  ...{ id, group, title: id, severity: 'error', why: '', fix: '' },
  verdict: { verdict: 'fail', judged: 1, found: 1, findings: [] },
})

function shard(
  path: string,
  given: { facts?: Partial<RunManifest>; report?: Partial<Report>; reports?: Partial<typeof NO_REPORTS> | object } = {},
): Shard {
  const facts = {
    ...{ command: 'npm test', name: null, url: `http://127.0.0.1:1/${path}`, commit: 'c', startedAt: 10, endedAt: 50 },
    ...{ exit: { code: 0, signal: null }, verdict: 'pass' as const },
  }
  const verdict = runVerdict({ ...REPORT, ...given.report }, { ...NO_REPORTS, ...given.reports })
  return {
    ...{ path, folder: path, close: () => undefined },
    manifest: { ...newManifest(facts), ...given.facts },
    // As it is read from a file.
    verdict: JSON.parse(JSON.stringify(verdict)),
  }
}

describe('the facts of merged runs', () => {
  it('span all shards, and name the first program that failed', () => {
    const failed = { exit: { code: 2, signal: null }, startedAt: 5, endedAt: 20, command: 'npm test 2', commit: 'd' }
    const shards = [shard('a'), shard('b', { facts: failed }), shard('c')]
    expect(mergedManifest(shards, 'main')).toMatchObject({
      ...{ command: 'npm test; npm test 2', name: 'main', commit: null, startedAt: 5, endedAt: 50 },
      ...{ exit: { code: 2 }, scrubbed: false, verdict: null },
    })
    expect(mergedManifest([shard('a'), shard('b')], null).commit).toBe('c')
    const scrubbed = { facts: { scrubbed: true } }
    expect(mergedManifest([shard('a', scrubbed), shard('b', scrubbed)], null).scrubbed).toBe(true)
  })

  it('keep the addresses of all collectors through a second merge', () => {
    const [a, b] = [shard('a'), shard('b')]
    const merged = { ...shard('ab'), manifest: mergedManifest([a, b], null) }
    expect(collectorsOf([merged, shard('c')])).toEqual(['a', 'b', 'c'].map((path) => `http://127.0.0.1:1/${path}`))
  })

  it('refuse a run that is given as a file and as a folder', () => {
    const [a, b] = [shard('a'), shard('b')]
    expect(sharedRun([a, b])).toBeNull()
    expect(sharedRun([a, b, { ...a, path: 'a.waystation' }])).toBe('a and a.waystation are the same run: give it once')
  })

  it('refuse merged runs that share a shard, through several merges', () => {
    const [a, b, c] = [shard('a'), shard('b'), shard('c')]
    const merged = (path: string, ...shards: readonly Shard[]): Shard => ({
      ...shard(path),
      manifest: mergedManifest(shards, null),
    })
    const [ab, bc] = [merged('ab', a, b), merged('bc', b, c)]
    expect(sharedRun([ab, c])).toBeNull()
    const of = 'both contain the run of npm test that started 1970-01-01T00:00:00.010Z: merge its shards once, '
    expect(sharedRun([ab, b])).toContain(`ab and b ${of}`)
    expect(sharedRun([ab, bc])).toContain(`ab and bc ${of}`)
    expect(sharedRun([a, merged('abc', ab, c)])).toContain(`a and abc ${of}`)
  })
})

describe('the reports of the tests of merged runs', () => {
  const traced = (endedAt: number) => ({ method: 'GET', url: '/', traceId: 't', spanId: 's', endedAt })

  it('keep a test of two shards as two tests, of which none is a retry', () => {
    const test = (stamp: string, attempt = 0): ObservedTest => observed({ stamp, testId: 'pays', attempt })
    const [a, b] = [
      shard('a', { reports: { browsers: [test('one'), test('two', 1)] } }),
      shard('b', { reports: { browsers: [test('three')] } }),
    ]
    const { last, earlier } = attemptsOf(mergedReports([a, b]).browsers)
    expect(last.map(({ stamp }) => stamp)).toEqual(['two', 'three'])
    expect([...earlier]).toEqual(['one'])
  })

  it('count a test once that several merged runs have', () => {
    const test = observed({ stamp: 'one', testId: 'pays' })
    const shards = [shard('ab', { reports: { browsers: [test] } }), shard('bc', { reports: { browsers: [test] } })]
    expect(mergedReports(shards).browsers).toHaveLength(1)
  })

  it('leave out requests of the last seconds of each shard', () => {
    const shards = [10_000, 90_000].map((endedAt, index) =>
      shard(String(index), {
        facts: { endedAt },
        reports: {
          browsers: [observed({ stamp: String(index), traced: [traced(endedAt - 6001), traced(endedAt - 6000)] })],
        },
      }),
    )
    expect(mergedReports(shards).browsers.map((test) => test.traced.map(({ endedAt }) => endedAt))).toEqual([
      [3999],
      [83_999],
    ])
  })

  it('read what tests allow as they wrote it, and name what cannot be read', () => {
    const allows = [{ stamp: 'one', traces: [], allow: [{ error: /declined \d+/i, why: 'a test card' }] }]
    const one = shard('a', { reports: { allows, limited: ['one'], problems: ['line 1 cannot be read'] } })
    expect(mergedReports([one])).toEqual({
      browsers: [],
      allows,
      limited: ['one'],
      problems: ['line 1 cannot be read'],
    })
    const older = { ...one, verdict: { report: REPORT, tests: [{}], allowed: allows, problems: [] } }
    expect(mergedReports([older])).toMatchObject({
      ...{ allows: [], limited: [] },
      problems: [expect.stringMatching(/^a report of a test cannot be read: expected a JSON object of kind browser/)],
    })
  })
})

describe('findings of shards that judging again does not find', () => {
  it('are a missing verdict, and reasons of the shard', () => {
    const shards = [shard('a', { report: { gaps: ['known', 'only here'] } }), { ...shard('b'), verdict: null }]
    expect(shardGaps(shards, ['known'])).toEqual([
      'a: only here',
      'b has no verdict.json, so what its tests reported is unknown: record it without --no-check',
    ])
  })

  it('are differences from a profile, and secrets that are scrubbed', () => {
    const judged = [failing('profile', 'profile'), failing('privacy', 'contract'), failing('errors', 'errors')]
    const ids = (facts: Partial<RunManifest>) =>
      unrepeatableFailures([shard('a', { facts, report: { judged } })]).map(({ id }) => id)
    expect(ids({})).toEqual(['profile'])
    expect(ids({ scrubbed: true })).toEqual(['profile', 'privacy'])
  })
})

it('merges mapped frames, and reports its progress', () => {
  const root = mkdtempSync(join(tmpdir(), 'merge-runs-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const folders = ['a', 'b', 'c', 'merged'].map((name) => join(root, name))
  for (const folder of folders) mkdirSync(folder)
  const [a = '', b = '', c = '', merged = ''] = folders
  for (const folder of [a, b, c]) {
    const db = new Database(join(folder, 'spool.db'))
    migrate(db)
    db.close()
  }
  for (const [folder, ids] of [
    [b, ['one', 'two']],
    [c, ['two', 'three']],
  ] as const) {
    const db = new Database(join(folder, 'frames.db'))
    db.exec('CREATE TABLE mapped_frames (event_id TEXT PRIMARY KEY, answer TEXT NOT NULL) STRICT')
    for (const id of ids) db.prepare('INSERT INTO mapped_frames VALUES (?, ?)').run(id, `${id} of ${folder}`)
    db.close()
  }
  const lines: string[] = []
  const shards = [a, b, c].map((folder) => ({ ...shard(folder), folder }))
  expect(mergeRuns(shards, merged, (line) => lines.push(line))).toEqual({ submissions: 0, duplicates: 0 })
  expect(lines[0]).toBe('merging: 0 of 0 submissions')
  const db = new Database(join(merged, 'frames.db'), { readonly: true })
  onTestFinished(() => void db.close())
  expect(db.prepare('SELECT event_id, answer FROM mapped_frames ORDER BY 1').raw().all()).toEqual([
    ['one', `one of ${b}`],
    ['three', `three of ${c}`],
    ['two', `two of ${b}`],
  ])
})
