import type { EventDetail } from '../../lib/wire/event'
import type { GroupFrame, GroupFrames, MappedFrames } from '../../lib/wire/mapped-frames'
import { NotMappedError } from './frame-mapper'

/** The newest events of a group whose top frames are compared. */
export const MOST_EVENTS = 20
/** No further event is mapped after this time: each may need another source map. */
const MOST_MS = 5000

interface GroupFramesParts {
  readonly errorGroup: (hash: string) => Promise<{ readonly events: readonly Pick<EventDetail, 'eventId'>[] } | null>
  readonly readEvent: (eventId: string) => Promise<EventDetail | null>
  readonly mapFrames: (event: EventDetail) => Promise<MappedFrames>
  /** Ms, by a clock that is never set. */
  readonly monotonic: () => number
}

/** Maps the newest events of a group and counts their distinct top frames. @returns `null` when no event of it is stored */
export function createGroupFrames({ errorGroup, readEvent, mapFrames, monotonic }: GroupFramesParts) {
  return async (hash: string): Promise<GroupFrames | null> => {
    const group = await errorGroup(hash)
    if (group === null) return null
    const endsAt = monotonic() + MOST_MS
    const frames = new Map<string, GroupFrame & { count: number }>()
    let read = 0
    const answer = (stopped: string | null): GroupFrames => ({
      hash,
      read,
      stopped,
      frames: [...frames.values()].sort((one, other) => other.count - one.count),
    })
    for (const { eventId } of group.events.slice(0, MOST_EVENTS)) {
      if (monotonic() > endsAt) return answer(`mapping them took longer than ${MOST_MS / 1000} s`)
      const event = await readEvent(eventId)
      if (event === null) continue
      try {
        const frame = topFrame(await mapFrames(event))
        const key = JSON.stringify([frame.function, frame.file, frame.line, frame.column])
        const known = frames.get(key)
        if (known === undefined) frames.set(key, { ...frame, count: 1, eventId })
        else known.count += 1
        read += 1
      } catch (error) {
        if (!(error instanceof NotMappedError)) throw error
        return answer(error.message)
      }
    }
    return answer(null)
  }
}

/** The newest call of the app, or of any code without one. A mapped frame is the same one wherever its build put it. */
function topFrame({ exceptions }: MappedFrames): Omit<GroupFrame, 'count' | 'eventId'> {
  const all = exceptions.flatMap(({ frames }) => frames)
  const frame = all.find(({ inApp }) => inApp) ?? all[0]
  if (frame === undefined) return { function: null, file: null, line: null, column: null, note: 'no stack' }
  if (frame.result === 'mapped') {
    const note = frame.otherBuild === null ? null : `may be another build: ${frame.otherBuild}`
    return { function: frame.function, file: frame.source, line: frame.line, column: null, note }
  }
  const { filename: file, ...raw } = frame.raw
  if (frame.result === 'as sent') return { ...raw, file, column: null, note: null }
  return { ...raw, file, note: `not mapped: ${frame.reason}` }
}
