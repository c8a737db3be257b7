import type { MappedFrame, MappedFrames } from '../../lib/wire/mapped-frames'
import { candidatesOf, type FoundFile, findFile, realRoots } from './find-script'
import { type MappedPosition, type OpenScript, openScript } from './map-script'
import { codeAround, readFile } from './source-code'

/** Frames of one event that are mapped; the others keep the form in which the SDK sent them. */
const MOST_FRAMES = 500
/** Positions that the thread remembers. */
const MOST_POSITIONS = 2000
/** A longer line of a script is the output of a bundler. */
const MOST_OF_WRITTEN_LINE = 400

/** The part of a frame that mapping reads. */
export interface SentFrame {
  readonly filename: string | null
  readonly function: string | null
  readonly line: number | null
  readonly column: number | null
  readonly inApp: boolean
  /** The executed line as the SDK sent it, perhaps in part. */
  readonly contextLine: string | null
}

export interface SentStacks {
  readonly eventId: string
  readonly timestampMs: number
  readonly exceptions: readonly { readonly frames: readonly SentFrame[] }[]
}

/** Without the messages of React, which need no source map. */
export type MappedStacks = Pick<MappedFrames, 'eventId' | 'summary'> & {
  readonly exceptions: readonly { readonly frames: readonly MappedFrame[] }[]
}

/** A frame, and the name that its position has in the source: that of the function it calls. */
interface Mapping {
  readonly frame: MappedFrame
  readonly callee: string | null
}

/** Remembers mapped positions, not maps: a map of 15 MB takes 200 MB of memory. */
export function createFrameMapping(roots: readonly string[]): (stacks: SentStacks) => MappedStacks {
  const positions = new Map<string, Mapping>()

  function remember(key: string, mapping: Mapping): Mapping {
    positions.set(key, mapping)
    const [oldest] = positions.keys()
    if (positions.size > MOST_POSITIONS && oldest !== undefined) positions.delete(oldest)
    return mapping
  }

  /** Opens a script once for all its frames, and one script at a time. */
  function mapScript(frames: readonly SentFrame[], timestampMs: number, existing: readonly string[]): Mapping[] {
    const candidates = candidatesOf(frames[0]?.filename ?? null, existing)
    if (candidates.kind !== 'paths')
      return frames.map((frame) => ({ frame: unmapped(frame, candidates, existing), callee: null }))
    const script = findFile(candidates.paths, existing)
    if (script === null || script === 'outside') {
      const reason =
        script === null
          ? 'the script is not on this disk; WAYSTATION_SOURCE_MAPS names the folders of other builds'
          : 'the script is outside the working folder and the folders of WAYSTATION_SOURCE_MAPS'
      const lookedFor = [...candidates.paths]
      return frames.map((sent) => ({
        frame: { ...sharedOf(sent), result: script === null ? 'not found' : 'refused', reason, lookedFor },
        callee: null,
      }))
    }
    let opened: ReturnType<typeof openScript> | null = null
    return frames.map((sent) => {
      const { path, stats } = script
      const key = JSON.stringify([path, stats.mtimeMs, stats.size, sent])
      const known = positions.get(key)
      if (known !== undefined) return withTime(known, script, timestampMs)
      opened ??= openScript(script, existing)
      const mapping = mapFrame(sent, script, opened, candidates.isServed)
      // The map of a script without one may be written later.
      const isFinal = mapping.frame.result === 'mapped' || ('map' in opened && 'find' in opened.map)
      return withTime(isFinal ? remember(key, mapping) : mapping, script, timestampMs)
    })
  }

  return ({ eventId, timestampMs, exceptions }) => {
    const existing = realRoots(roots)
    const all = exceptions.flatMap(({ frames }) => frames)
    const mappings = new Map<SentFrame, Mapping>()
    const byFile = new Map<string | null, SentFrame[]>()
    for (const frame of all.slice(0, MOST_FRAMES))
      byFile.set(frame.filename, [...(byFile.get(frame.filename) ?? []), frame])
    for (const frames of byFile.values())
      for (const [index, mapping] of mapScript(frames, timestampMs, existing).entries()) {
        const sent = frames[index]
        if (sent !== undefined) mappings.set(sent, mapping)
      }
    const mapped = exceptions.map(({ frames }) => ({
      frames: frames.map((sent, index): MappedFrame => {
        const found = mappings.get(sent)?.frame ?? unmapped(sent, TOO_MANY, existing)
        const caller = frames[index + 1]
        return found.result === 'mapped'
          ? { ...found, function: functionName(sent, (caller && mappings.get(caller)?.callee) ?? null) }
          : found
      }),
    }))
    return { eventId, summary: summaryOf(mapped.flatMap(({ frames }) => frames)), exceptions: mapped }
  }
}

const TOO_MANY = { kind: 'refused', reason: `only the first ${MOST_FRAMES} frames of an event are mapped` } as const

function sharedOf({ filename, function: name, line, column, inApp }: SentFrame) {
  return { raw: { filename, function: name, line, column }, inApp }
}

function unmapped(
  sent: SentFrame,
  { kind, reason }: { readonly kind: 'as sent' | 'not found' | 'refused'; readonly reason: string },
  roots: readonly string[],
): MappedFrame {
  if (kind !== 'as sent') return { ...sharedOf(sent), result: kind, reason, lookedFor: [] }
  const file = /\.\w+$/.test(sent.filename ?? '') ? sourceFile(sent.filename ?? '', roots) : null
  const read = file === null || sent.contextLine !== null || sent.line === null ? null : readFile(file)
  const code = read !== null && 'text' in read ? codeAround(read.text, sent.line ?? 0) : []
  return { ...sharedOf(sent), result: kind, reason, path: file?.path ?? null, code }
}

/** Only files with the extension of a source are read: an event could name a file of secrets. */
function sourceFile(filename: string, roots: readonly string[]): FoundFile | null {
  if (!/\.(?:[cm]?[jt]sx?|vue|svelte|astro|mdx)$/.test(filename)) return null
  const asScript = candidatesOf(filename.replace(/\.\w+$/, '.js'), roots)
  if (asScript.kind !== 'paths') return null
  const paths = asScript.paths.map((path) => path.replace(/\.js$/, filename.slice(filename.lastIndexOf('.'))))
  const file = findFile(paths, roots)
  return file === 'outside' ? null : file
}

function mapFrame(
  sent: SentFrame,
  script: FoundFile,
  opened: OpenScript | { readonly refused: string },
  isServed: boolean,
): Mapping {
  const shared = sharedOf(sent)
  const failed = (result: 'not found' | 'refused', reason: string, lookedFor: readonly string[] = []): Mapping => ({
    frame: { ...shared, result, reason, lookedFor: [script.path, ...lookedFor] },
    callee: null,
  })
  if ('refused' in opened) return failed('refused', opened.refused)
  const { line, column } = sent
  if (line === null) return failed('not found', 'the SDK sent no line')
  const text = opened.line(line)
  if (!('find' in opened.map)) {
    const isWritten = !isServed && !opened.namesMap && text !== null && text.length <= MOST_OF_WRITTEN_LINE
    if (!isWritten) return failed(opened.map.kind, opened.map.reason, opened.map.lookedFor)
    const code = sent.contextLine === null ? opened.code(line) : []
    const reason = 'the script has no source map'
    return { frame: { ...shared, result: 'as sent', reason, path: script.path, code }, callee: null }
  }
  const found = opened.map.find(line, column ?? 1)
  if (found === null) return failed('not found', `the source map has no entry for ${line}:${column ?? 1}`)
  return { frame: mappedFrame(sent, found, text), callee: found.name }
}

function mappedFrame(sent: SentFrame, found: MappedPosition, text: string | null): MappedFrame {
  const { name: _, isLibrary, ...position } = found
  return {
    ...sharedOf(sent),
    ...position,
    inApp: !isLibrary,
    result: 'mapped',
    function: sent.function,
    code: [...found.code],
    otherBuild: isSameLine(sent.contextLine, text)
      ? null
      : 'the line of the script differs from the one that the SDK sent',
  }
}

/** SDKs send long lines in part, with a mark where they cut. */
function isSameLine(sent: string | null, text: string | null): boolean {
  if (sent === null) return true
  const part = sent.replaceAll('{snip}', '').trim()
  return text?.includes(part) ?? false
}

/** A script may be written again at any time, so this is no part of a remembered position. */
function withTime(mapping: Mapping, { stats }: FoundFile, timestampMs: number): Mapping {
  const { frame } = mapping
  if (frame.result !== 'mapped' || frame.otherBuild !== null || stats.mtimeMs <= timestampMs) return mapping
  return { ...mapping, frame: { ...frame, otherBuild: 'the script on disk is newer than the event' } }
}

/** The name in the call of a minified function is better than its own. */
function functionName({ function: sent }: SentFrame, called: string | null): string | null {
  const isMinified = sent !== null && /^[\w$]{1,2}$/.test(sent)
  return isMinified && called !== null ? called : sent
}

/** One sentence about all frames, with the most frequent reason of those that are not mapped. */
function summaryOf(frames: readonly MappedFrame[]): string {
  const reasons = new Map<string, number>()
  let mapped = 0
  let flagged: string | null = null
  for (const frame of frames) {
    if (frame.result === 'mapped') {
      mapped += 1
      flagged ??= frame.otherBuild
    } else if (frame.result !== 'as sent') reasons.set(frame.reason, (reasons.get(frame.reason) ?? 0) + 1)
  }
  const needed = frames.filter(({ result }) => result !== 'as sent').length
  const [[reason] = ['']] = [...reasons].sort(([, a], [, b]) => b - a)
  if (needed === 0) return 'no frame needs a source map'
  const found =
    mapped === needed ? 'source maps found for all frames' : `${mapped} of ${needed} frames mapped: ${reason}`
  return flagged === null ? found : `${found}; may be another build: ${flagged}`
}
