import { rmSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { openForWriting } from '../runtime/database'
import { isDamage, isDiskFull } from '../runtime/sqlite-errors'
import type { MappedStacks } from './map-frames'

/** Characters of all kept answers; the oldest are deleted. */
const MOST_CHARACTERS = 16 * 1024 * 1024

/** Answers by event, in a file of their own: the rows of the index are a function of the record, and these are not. */
export interface KeptFrames {
  /**
   * Maps an event again unless every frame was mapped before, from a build that the event may come from. Of two answers
   * the better one is kept: an old event stays readable after the next build.
   */
  readonly mapOnce: (eventId: string, map: () => MappedStacks) => MappedStacks
  readonly close: () => void
}

/** Opens the file, or makes it. A damaged one is deleted: its answers can be mapped again. */
export function openKeptFrames(file: string): KeptFrames {
  try {
    return keptIn(openForWriting(file, 'NORMAL'))
  } catch (error) {
    if (!isDamage(error)) throw error
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
    return keptIn(openForWriting(file, 'NORMAL'))
  }
}

function keptIn(db: Database): KeptFrames {
  db.pragma('wal_autocheckpoint = 1000')
  db.exec('CREATE TABLE IF NOT EXISTS mapped_frames (event_id TEXT PRIMARY KEY, answer TEXT NOT NULL) STRICT')
  const read = db.prepare('SELECT answer FROM mapped_frames WHERE event_id = ?').pluck()
  const write = db.prepare('INSERT OR REPLACE INTO mapped_frames (event_id, answer) VALUES (?, ?)')
  const trim = db.prepare(`DELETE FROM mapped_frames WHERE rowid IN (SELECT rowid FROM
    (SELECT rowid, sum(length(answer)) OVER (ORDER BY rowid DESC) AS total FROM mapped_frames) WHERE total > ?)`)
  const keep = (eventId: string, answer: string): void => {
    try {
      write.run(eventId, answer)
      trim.run(MOST_CHARACTERS)
    } catch (error) {
      // Without space the answer is mapped again at the next query.
      if (!isDiskFull(error)) throw error
    }
  }
  return {
    mapOnce: (eventId, map) => {
      const text = read.get(eventId) as string | undefined
      const kept: MappedStacks | null = text === undefined ? null : JSON.parse(text)
      if (kept !== null && scoreOf(kept).isComplete) return kept
      const mapped = map()
      const { score } = scoreOf(mapped)
      if (kept !== null && scoreOf(kept).score > score) return kept
      const answer = JSON.stringify(mapped)
      if (score > 0 && answer !== text) keep(eventId, answer)
      return mapped
    },
    close: () => db.close(),
  }
}

function scoreOf({ exceptions }: MappedStacks): { readonly score: number; readonly isComplete: boolean } {
  const frames = exceptions.flatMap((one) => one.frames).filter(({ result }) => result !== 'as sent')
  const good = frames.filter((frame) => frame.result === 'mapped' && frame.otherBuild === null).length
  const mapped = frames.filter(({ result }) => result === 'mapped').length
  return { score: good + mapped, isComplete: mapped > 0 && good === frames.length }
}
