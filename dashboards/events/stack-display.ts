import type { EventDetail, StackFrame } from '../../lib/wire/event'

export interface FrameGroup {
  /** The reader's own code, or a library's. */
  readonly inApp: boolean
  readonly frames: readonly StackFrame[]
}

/** So many calls of one stretch are in sight; the rest is behind its number. */
const IN_SIGHT = 8

/** The calls nearest to the error, and those behind them. One alone is not worth hiding. */
export function nearestFrames(frames: readonly StackFrame[]): {
  readonly near: readonly StackFrame[]
  readonly more: readonly StackFrame[]
} {
  if (frames.length <= IN_SIGHT + 1) return { near: frames, more: [] }
  return { near: frames.slice(0, IN_SIGHT), more: frames.slice(IN_SIGHT) }
}

/**
 * A stack in its order, cut where own code and libraries meet, so that libraries can be folded away and the order of
 * calls stays true. A stack without a frame of one's own is one open group.
 */
export function frameGroups(frames: readonly StackFrame[]): readonly FrameGroup[] {
  if (!frames.some((frame) => frame.inApp)) return frames.length === 0 ? [] : [{ inApp: true, frames }]
  const groups: { inApp: boolean; frames: StackFrame[] }[] = []
  for (const frame of frames) {
    const last = groups.at(-1)
    if (last !== undefined && last.inApp === frame.inApp) last.frames.push(frame)
    else groups.push({ inApp: frame.inApp, frames: [frame] })
  }
  return groups
}

/** Whether an SDK sent more of a call than its place: source lines or variables. */
export const hasDetail = ({ source, vars }: StackFrame): boolean =>
  source.length > 0 || (vars !== null && Object.keys(vars).length > 0)

/** The own call nearest to the error of which there is more to see. */
export const firstToOpen = (exceptions: EventDetail['exceptions']): StackFrame | undefined =>
  exceptions.flatMap(({ frames }) => frames).find((frame) => frame.inApp && hasDetail(frame))

/** About five lines of a narrow panel. */
const MOST_CHARACTERS = 300
const MOST_LINES = 6

/** The beginning of a message too long to be shown at once; `null` when it is not. */
export function clampMessage(text: string): string | null {
  const lines = text.split('\n')
  const cut = lines.length > MOST_LINES ? lines.slice(0, MOST_LINES).join('\n') : text
  // Counted in code points: a cut between two surrogates would show neither.
  const points = [...cut.slice(0, 2 * MOST_CHARACTERS + 2)]
  const short = points.length > MOST_CHARACTERS ? points.slice(0, MOST_CHARACTERS).join('') : cut
  return short === text ? null : short
}
