import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openKeptFrames } from '../../../collector/maps/kept-frames'
import type { MappedStacks } from '../../../collector/maps/map-frames'
import { copyDatabases } from '../../../collector/runs/copy-databases'
import { openForReading } from '../../../collector/runtime/database'
import type { MappedFrame } from '../../../lib/wire/mapped-frames'
import { project } from './built-app'

const RAW = { filename: '/a.js', function: null, line: 1, column: 1 }
const shared = { raw: RAW, inApp: true }
const mapped = (otherBuild: string | null, text = ''): MappedFrame => ({
  ...shared,
  ...{ result: 'mapped', source: 'a', path: null, line: 1, column: 1, function: null, otherBuild },
  code: [{ line: 1, text, ran: true }],
})
const lost: MappedFrame = { ...shared, result: 'not found', reason: 'gone', lookedFor: [] }
const sent: MappedFrame = { ...shared, result: 'as sent', reason: 'runtime', path: null, code: [] }

const answer = (...frames: readonly MappedFrame[]): MappedStacks => ({
  eventId: 'a',
  summary: '',
  exceptions: [{ frames }],
})

function opened(folder = project()) {
  const file = join(folder, 'frames.db')
  const kept = openKeptFrames(file)
  onTestFinished(kept.close)
  return { file, kept }
}
const never = (): never => {
  throw new Error('mapped again')
}

it('keeps an answer whose frames are all mapped, also for the next thread', () => {
  const folder = project()
  const whole = answer(mapped(null), sent)
  expect(opened(folder).kept.mapOnce('a', () => whole)).toEqual(whole)
  expect(opened(folder).kept.mapOnce('a', never)).toEqual(whole)
})

it.each([
  ['a frame is not found', answer(mapped(null), lost)],
  ['a script may be of another build', answer(mapped('newer'))],
])('maps an event again while %s', (_, partial) => {
  const { kept } = opened()
  const whole = answer(mapped(null), mapped(null))
  expect(kept.mapOnce('a', () => partial)).toEqual(partial)
  expect(kept.mapOnce('a', () => whole)).toEqual(whole)
  expect(kept.mapOnce('a', never)).toEqual(whole)
})

it('prefers the better of two answers: a frame was mapped before the next build', () => {
  const { kept } = opened()
  const partial = answer(mapped(null), lost)
  kept.mapOnce('a', () => partial)
  expect(kept.mapOnce('a', () => answer(mapped('newer'), lost))).toEqual(partial)
  expect(kept.mapOnce('a', () => answer(lost, lost))).toEqual(partial)
})

it('keeps at most 16 MiB of characters, the newest', () => {
  const { file, kept } = opened()
  const large = answer(mapped(null, 'x'.repeat(6 * 1024 * 1024)))
  for (const id of ['a', 'b', 'c']) kept.mapOnce(id, () => large)
  const db = openForReading(file)
  onTestFinished(() => void db.close())
  expect(db.prepare('SELECT event_id FROM mapped_frames').pluck().all()).toEqual(['b', 'c'])
})

it('deletes a damaged file, and begins again', () => {
  const folder = project()
  writeFileSync(join(folder, 'frames.db'), 'no database'.repeat(500))
  const whole = answer(mapped(null))
  expect(opened(folder).kept.mapOnce('a', () => whole)).toEqual(whole)
  expect(opened(folder).kept.mapOnce('a', never)).toEqual(whole)
})

it('is copied into a saved run, unless it is damaged', () => {
  const [folder, run, damaged] = [project(), project(), project()]
  const whole = answer(mapped(null))
  opened(folder).kept.mapOnce('a', () => whole)
  copyDatabases(folder, run)
  expect(opened(run).kept.mapOnce('a', never)).toEqual(whole)
  writeFileSync(join(damaged, 'frames.db'), 'no database'.repeat(500))
  const other = project()
  copyDatabases(damaged, other)
  expect(existsSync(join(other, 'frames.db'))).toBe(false)
})
