import type { StackFrame } from '../../../lib/wire/event'

export interface FrameGroup {
  /** The reader's own code, or a library's. */
  readonly inApp: boolean
  readonly frames: readonly StackFrame[]
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
