import type { EventDetail, StackFrame } from '../../lib/wire/event'
import type { MappedFrame, MappedFrames } from '../../lib/wire/mapped-frames'

export type StackView = 'app' | 'all' | 'raw'

/** A frame as the page shows it: as sent, or as its source map says. */
export interface ShownFrame extends Omit<StackFrame, 'source'> {
  readonly code: readonly { readonly line: number | null; readonly text: string; readonly ran: boolean }[]
  /** An absolute path on the collector's disk; `null` without one. */
  readonly path: string | null
  /** How the frame was mapped, or why it was not; `null` before that is known. */
  readonly note: string | null
  /** Why the code may be another build's; `null` without a reason. */
  readonly otherBuild: string | null
  readonly lookedFor: readonly string[]
}

type Exception = EventDetail['exceptions'][number]

/** The frames of each exception. @param mapped those of the same event; `null` before they are read, and in the raw view */
export const shownStacks = (
  { exceptions }: Pick<EventDetail, 'exceptions'>,
  mapped: MappedFrames | null,
): readonly (readonly ShownFrame[])[] =>
  exceptions.map((exception, at) => shownFrames(exception, mapped?.exceptions[at] ?? null))

/** The frames of an exception. @param mapped those of the same exception; `null` before they are read, and in the raw view */
export function shownFrames(
  { frames }: Pick<Exception, 'frames'>,
  mapped: MappedFrames['exceptions'][number] | null,
): readonly ShownFrame[] {
  return frames.map((frame, at) => shownFrame(frame, mapped?.frames[at] ?? null))
}

function shownFrame({ source, ...frame }: StackFrame, mapped: MappedFrame | null): ShownFrame {
  const asSent = { ...frame, code: source, path: null, note: null, otherBuild: null, lookedFor: [] }
  if (mapped === null) return asSent
  if (mapped.result === 'mapped') {
    const { inApp, line, column, path, otherBuild } = mapped
    return {
      ...asSent,
      inApp,
      filename: mapped.source,
      function: mapped.function ?? frame.function,
      line,
      column,
      code: mapped.code.length === 0 ? source : mapped.code,
      path,
      note: `mapped from ${positionText(frame)}`,
      otherBuild,
    }
  }
  if (mapped.result === 'as sent')
    return { ...asSent, code: source.length > 0 ? source : mapped.code, path: mapped.path, note: mapped.reason }
  return { ...asSent, note: `not mapped: ${mapped.reason}`, lookedFor: mapped.lookedFor }
}

/** `app.js:1:110` */
export const positionText = ({ filename, line, column }: Pick<StackFrame, 'filename' | 'line' | 'column'>): string =>
  [filename ?? '(unknown)', line, column].filter((part) => part !== null).join(':')

/** SDKs send `?` when the engine does not name the function. */
export const functionName = (name: string | null): string => (name === null || name === '?' ? '(anonymous)' : name)

interface FrameGroup {
  readonly inApp: boolean
  readonly frames: readonly ShownFrame[]
}

/** This many frames of a group are visible; the others are folded. */
const IN_SIGHT = 8

/** The frames nearest to the error, and the folded others. A single frame is not folded. */
export function nearestFrames<Frame>(frames: readonly Frame[]): {
  readonly near: readonly Frame[]
  readonly more: readonly Frame[]
} {
  if (frames.length <= IN_SIGHT + 1) return { near: frames, more: [] }
  return { near: frames.slice(0, IN_SIGHT), more: frames.slice(IN_SIGHT) }
}

/** The frames in order, grouped into app and library code. A stack without app frames is one visible group. */
export function frameGroups(frames: readonly ShownFrame[]): readonly FrameGroup[] {
  if (!frames.some((frame) => frame.inApp)) return frames.length === 0 ? [] : [{ inApp: true, frames }]
  const groups: { inApp: boolean; frames: ShownFrame[] }[] = []
  for (const frame of frames) {
    const last = groups.at(-1)
    if (last !== undefined && last.inApp === frame.inApp) last.frames.push(frame)
    else groups.push({ inApp: frame.inApp, frames: [frame] })
  }
  return groups
}

/** The packages of library frames, for the line that stands for them: `next, node`. */
export function packagesOf(frames: readonly Pick<StackFrame, 'filename'>[]): string {
  const names = frames.map(({ filename }) => {
    if (filename?.startsWith('node:')) return 'node'
    return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(filename ?? '')?.[1] ?? null
  })
  return [...new Set(names.filter((name) => name !== null))].slice(0, 4).join(', ')
}

export const hasCode = ({ code, vars }: Pick<ShownFrame, 'code' | 'vars'>): boolean =>
  code.length > 0 || (vars !== null && Object.keys(vars).length > 0)

/** The app frame nearest to the error that has code or variables. */
export const firstToOpen = (exceptions: readonly (readonly ShownFrame[])[]): ShownFrame | undefined =>
  exceptions.flat().find((frame) => frame.inApp && hasCode(frame))

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
