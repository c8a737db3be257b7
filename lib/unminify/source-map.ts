import {
  FlattenMap,
  originalPositionFor,
  type SectionedSourceMapInput,
  type SourceMapInput,
  sourceContentFor,
} from '@jridgewell/trace-mapping'

/** A position in a source, as its map states it. */
export interface OriginalPosition {
  /** With the `sourceRoot` of the map; otherwise as the bundler wrote it: `turbopack:///[project]/app/page.tsx`. */
  readonly source: string
  /** Starts at 1, like the column. */
  readonly line: number
  readonly column: number
  /** The name that stands at the position in the source. */
  readonly name: string | null
  /** The whole source; `null` when the map does not contain it. */
  readonly content: string | null
}

/** The source of a position in the script, both of which start at 1; `null` when the map has none for it. */
export type FindOriginal = (line: number, column: number) => OriginalPosition | null

/** Reads a source map, also one in sections. @returns `null` for a broken one */
export function readSourceMap(map: string | object): FindOriginal | null {
  try {
    const trace = FlattenMap(map as SourceMapInput | SectionedSourceMapInput)
    return (line, column) => {
      const found = originalPositionFor(trace, { line, column: Math.max(0, column - 1) })
      if (found.source === null) return null
      const { line: at, column: from, name } = found
      const content = sourceContentFor(trace, found.source)
      // Turbopack writes percent-encoded paths: `%5Bid%5D` for a folder `[id]`.
      return { source: percentDecoded(found.source), line: at, column: from + 1, name, content }
    }
  } catch {
    // The frame of the script is shown instead, with the reason.
    return null
  }
}

/** The source map that a script names: the text of an inline one, or the address of a file next to the script. */
export type ScriptLink = { readonly inline: string } | { readonly file: string }

const COMMENT = /(?:^|\n)\/\/[#@] sourceMappingURL=(\S+)\s*$/
const DATA = /^data:application\/json[^,]*?(;base64)?,(.*)$/s

/** Reads the `sourceMappingURL` comment at the end of a script. @returns `null` without one */
export function linkOf(script: string): ScriptLink | null {
  const start = script.lastIndexOf(' sourceMappingURL=')
  // Only the last line: a search through a script of some megabytes would take long.
  const [, link] = start === -1 ? [] : (COMMENT.exec(script.slice(Math.max(0, start - 4))) ?? [])
  if (link === undefined) return null
  const [, base64, data] = DATA.exec(link) ?? []
  if (data === undefined) return { file: percentDecoded(link) }
  return { inline: base64 === undefined ? percentDecoded(data) : Buffer.from(data, 'base64').toString('utf8') }
}

/** A text that is not percent-encoded stays as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
