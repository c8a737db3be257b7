import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createKeptFrames } from '../../../collector/maps/kept-frames'
import type { MappedStacks } from '../../../collector/maps/map-frames'
import { openForWriting } from '../../../collector/runtime/database'
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
  const db = openForWriting(join(folder, 'frames.db'), 'NORMAL')
  onTestFinished(() => void db.close())
  return { db, kept: createKeptFrames(db) }
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
  const { db, kept } = opened()
  const large = answer(mapped(null, 'x'.repeat(6 * 1024 * 1024)))
  for (const id of ['a', 'b', 'c']) kept.mapOnce(id, () => large)
  expect(db.prepare('SELECT event_id FROM mapped_frames').pluck().all()).toEqual(['b', 'c'])
})
