import type { EventDetail, StackFrame } from '../../lib/wire/event'

interface FrameGroup {
  readonly inApp: boolean
  readonly frames: readonly StackFrame[]
}

/** This many frames of a group are visible; the others are folded. */
const IN_SIGHT = 8

/** The frames nearest to the error, and the folded others. A single frame is not folded. */
export function nearestFrames(frames: readonly StackFrame[]): {
  readonly near: readonly StackFrame[]
  readonly more: readonly StackFrame[]
} {
  if (frames.length <= IN_SIGHT + 1) return { near: frames, more: [] }
  return { near: frames.slice(0, IN_SIGHT), more: frames.slice(IN_SIGHT) }
}

/** The frames in order, grouped into app and library code. A stack without app frames is one visible group. */
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

export const hasDetail = ({ source, vars }: StackFrame): boolean =>
  source.length > 0 || (vars !== null && Object.keys(vars).length > 0)

/** The app frame nearest to the error that has details. */
export const firstToOpen = (exceptions: EventDetail['exceptions']): StackFrame | undefined =>
  exceptions.flatMap(({ frames }) => frames).find((frame) => frame.inApp && hasDetail(frame))

/** About five lines of a narrow panel. */
const MOST_CHARACTERS = 300
const MOST_LINES = 6

export function clampMessage(text: string): string | null {
  const lines = text.split('\n')
  const cut = lines.length > MOST_LINES ? lines.slice(0, MOST_LINES).join('\n') : text
  // Counted in code points, to avoid cutting a surrogate pair.
  const points = [...cut.slice(0, 2 * MOST_CHARACTERS + 2)]
  const short = points.length > MOST_CHARACTERS ? points.slice(0, MOST_CHARACTERS).join('') : cut
  return short === text ? null : short
}
