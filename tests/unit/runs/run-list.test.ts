import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readRunsArguments } from '../../../collector/cli/runs'
import { newManifest, readManifest } from '../../../collector/runs/manifest'
import { newRunFolder, RECORDINGS_KEPT } from '../../../collector/runs/run-folder'
import { deleteRun, findRun, listRuns, nameRun, pinRun, unpinRun } from '../../../collector/runs/run-list'
import { writeRunFacts } from '../../../collector/runs/save-run'
import { lockFolder } from '../../../collector/spool/disk/data-folder'
import { folderOfEachTest } from '../folder-of-each-test'

const data = folderOfEachTest()

/** A finished run, newer with a larger number. */
function finished(second: number, name: string | null = null): string {
  const { folder, release } = newRunFolder(data.path, new Date(Date.UTC(2026, 0, 1, 0, 0, second)), 'beef')
  const exit = { code: 1, signal: null }
  const url = 'http://127.0.0.1:1'
  const facts = {
    url,
    command: 'npm test',
    name,
    commit: null,
    startedAt: 0,
    endedAt: 5,
    exit,
    verdict: 'fail' as const,
  }
  writeRunFacts(folder, newManifest(facts), null)
  writeFileSync(join(folder, 'telemetry.db'), 'x'.repeat(100))
  release()
  return folder
}

it('lists runs newest first, also one that is being recorded and one that was killed', () => {
  expect(listRuns(data.path)).toEqual([])
  finished(1, 'first')
  const killed = newRunFolder(data.path, new Date(Date.UTC(2026, 0, 1, 0, 0, 2)), 'beef')
  killed.release()
  newRunFolder(data.path, new Date(Date.UTC(2026, 0, 1, 0, 0, 3)), 'beef')
  const runs = listRuns(data.path)
  expect(runs.map(({ id }) => id.slice(13, 15))).toEqual(['03', '02', '01'])
  expect(runs.map(({ isRecording }) => isRecording)).toEqual([true, false, false])
  expect(runs.map(({ facts }) => facts?.name)).toEqual([undefined, undefined, 'first'])
  expect(runs.map(({ bytes }) => bytes)).toEqual([0, 0, 100])
})

it('finds a run by number, name and the beginning of its id', () => {
  for (const second of [1, 2]) finished(second, second === 1 ? 'main' : null)
  const runs = listRuns(data.path)
  const [newest, oldest] = runs
  expect(findRun(runs, '1')).toEqual({ ok: true, value: newest })
  expect(findRun(runs, 'main')).toEqual({ ok: true, value: oldest })
  expect(findRun(runs, '20260101T000002')).toEqual({ ok: true, value: newest })
  expect(findRun(runs, '20260101')).toMatchObject({ error: expect.stringContaining('means 2 runs') })
  expect(findRun(runs, '3')).toMatchObject({ error: expect.stringContaining('a number from 1 to 2, a name or an id') })
})

it('keeps a pinned run, and removes it after it was unpinned', () => {
  finished(0)
  const [oldest] = listRuns(data.path)
  if (oldest === undefined) throw new Error('no run')
  pinRun(oldest)
  expect(listRuns(data.path)[0]?.isPinned).toBe(true)
  for (let second = 1; second <= RECORDINGS_KEPT + 1; second += 1) finished(second)
  expect(listRuns(data.path).map(({ id }) => id)).toContain(oldest.id)
  unpinRun(oldest)
  finished(50)
  expect(listRuns(data.path).map(({ id }) => id)).not.toContain(oldest.id)
})

it('names a run in its manifest, but not without one', () => {
  const folder = finished(1)
  const killed = newRunFolder(data.path, new Date(Date.UTC(2026, 0, 1, 0, 0, 2)), 'beef')
  killed.release()
  const [second, first] = listRuns(data.path)
  if (first === undefined || second === undefined) throw new Error('no runs')
  expect(nameRun(first, 'release 2')).toEqual({ ok: true, value: null })
  expect(readManifest(folder)).toMatchObject({ value: { name: 'release 2', command: 'npm test' } })
  expect(nameRun(second, 'x')).toMatchObject({ ok: false, error: expect.stringContaining('has no manifest.json') })
})

it('deletes a run that nothing uses', () => {
  const folder = finished(1)
  const [run] = listRuns(data.path)
  if (run === undefined) throw new Error('no run')
  const letGo = lockFolder(folder)
  expect(deleteRun(run)).toMatchObject({ error: expect.stringContaining('a collector uses') })
  expect(deleteRun({ ...run, isRecording: true })).toMatchObject({
    error: expect.stringContaining('is being recorded'),
  })
  letGo()
  expect(deleteRun(run)).toEqual({ ok: true, value: null })
  expect(readdirSync(join(data.path, 'runs'))).toEqual([])
})

it.each([
  ['', { action: 'list' }],
  ['--json', { action: 'list', json: true }],
  ['pin 1', { action: 'pin', reference: '1' }],
  ['name 1 main', { action: 'name', reference: '1', name: 'main' }],
])('parses runs %s', (line, parsed) => {
  const value = { reference: '', name: '', data: null, json: false, ...parsed }
  expect(readRunsArguments(line.split(' ').filter(Boolean))).toEqual({ ok: true, value })
})

it.each([
  ['remove 1', 'runs does list, pin, unpin, name, delete, open, got "remove"'],
  ['pin', 'runs pin requires a run'],
  ['name 1', 'runs name requires a run and a name'],
  ['list 1', 'runs list requires nothing else'],
])('refuses runs %s', (line, message) => {
  expect(readRunsArguments(line.split(' '))).toEqual({ ok: false, error: message })
})
