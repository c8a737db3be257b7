import { readFile, stat } from 'node:fs/promises'
import { findSourceMap } from 'node:module'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FindOriginal, linkOf, readSourceMap } from '../unminify/source-map'
import { bundledName, isLibrarySource } from '../unminify/source-name'
import type { SeenEvent } from '../verdict/evidence/evidence'

/** A line of the user's code. */
export interface SourceFrame {
  /** Relative to the working directory where possible. */
  readonly file: string
  readonly line: number
  /** Starts at 1; `null` if unknown. */
  readonly column: number | null
  readonly function: string | null
}

/** Reads a script or a source map by its file name or URL; `null` if there is none, or if it may not be read. */
export type ReadSource = (name: string, signal: AbortSignal) => Promise<string | null>

/** Bytes of a script or of a source map. */
const MOST_SOURCE_BYTES = 32 * 1024 * 1024
const MOST_FRAMES = 20

/** Reads files, and scripts of these origins. Source maps only make a message better, so that a failure is no error. */
export function sourceReader(origins: readonly string[], fetchLike: typeof fetch): ReadSource {
  return async (name, signal) => {
    try {
      const url = URL.canParse(name) ? new URL(name) : null
      if (url !== null && origins.includes(url.origin)) {
        const answer = await fetchLike(url, { signal })
        const length = Number(answer.headers.get('content-length') ?? 0)
        return answer.ok && length <= MOST_SOURCE_BYTES ? await answer.text() : null
      }
      const path = url?.protocol === 'file:' ? fileURLToPath(url) : name
      if (!isAbsolute(path) || (await stat(path)).size > MOST_SOURCE_BYTES) return null
      return await readFile(path, { encoding: 'utf8', signal })
    } catch {
      return null
    }
  }
}

/**
 * The topmost frame of the user's code, mapped through the source map of its script where there is one. Frames of
 * dependencies are skipped, also when only the source map shows that they are.
 */
export async function sourceFrameOf(
  { exceptions }: Pick<SeenEvent, 'exceptions'>,
  read: ReadSource,
  signal: AbortSignal,
): Promise<SourceFrame | null> {
  const maps = new Map<string, Promise<Mapped | null>>()
  const mapOf = (script: string): Promise<Mapped | null> => {
    const known = maps.get(script) ?? readMap(script, read, signal)
    maps.set(script, known)
    return known
  }
  let first: SourceFrame | null = null
  const frames = exceptions.flatMap((one) => one.frames).filter(({ inApp }) => inApp)
  for (const { filename, line, column, function: name } of frames.slice(0, MOST_FRAMES)) {
    if (!filename || !line) continue
    const script = filename.replace(/[?#].*$/, '')
    const found = (await mapOf(script))?.(line, column ?? 1) ?? null
    const frame = { ...(found ?? { file: shortFile(script), line, column: column ?? null }), function: name }
    first ??= frame
    if (!isLibrarySource(frame.file)) return frame
  }
  return first
}

type Mapped = (line: number, column: number) => Pick<SourceFrame, 'file' | 'line' | 'column'> | null

async function readMap(script: string, read: ReadSource, signal: AbortSignal): Promise<Mapped | null> {
  const loaded = findSourceMap(script)
  if (loaded !== undefined) return mappedBy(readSourceMap(loaded.payload), script)
  const link = linkOf((await read(script, signal)) ?? '')
  if (link === null) return null
  if ('inline' in link) return mappedBy(readSourceMap(link.inline), script)
  const place = besides(script, link.file)
  const text = await read(place, signal)
  return text === null ? null : mappedBy(readSourceMap(text), place)
}

/** @param place file or URL to which names in the map are relative @returns `null` for a broken map */
function mappedBy(find: FindOriginal | null, place: string): Mapped | null {
  if (find === null) return null
  return (line, column) => {
    const found = find(line, column)
    return found === null ? null : { file: shortSource(found.source, place), line: found.line, column: found.column }
  }
}

const besides = (script: string, link: string): string =>
  isAbsolute(script) ? resolve(dirname(script), link) : new URL(encodeURI(link), script).href

function shortSource(source: string, map: string): string {
  const bundled = bundledName(source)
  if (bundled !== null) return bundled
  if (URL.canParse(source) || isAbsolute(source)) return shortFile(source)
  return shortFile(isAbsolute(map) ? resolve(dirname(map), source) : new URL(source, map).href)
}

/** Relative to the working directory; of a URL without its origin. */
function shortFile(name: string): string {
  const url = URL.canParse(name) ? new URL(name) : null
  if (url !== null && url.protocol !== 'file:') return url.pathname.replace(/^\/+/, '')
  const path = url === null ? name : fileURLToPath(url)
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short
}
