import { readFileSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledName } from '../../lib/unminify/source-name'
import type { MappedFrame } from '../../lib/wire/mapped-frames'
import { type FoundFile, findFile } from './find-script'

/** Bytes of a script, a source map or a source. */
export const MOST_FILE_BYTES = 64 * 1024 * 1024
const LINES_AROUND = 5
const MOST_LINE_CHARACTERS = 400

export type Code = Extract<MappedFrame, { result: 'mapped' }>['code']

/** Reads a file of a root. @returns a sentence when it is too large, or cannot be read */
export function readFile({ path, root, stats }: FoundFile): { readonly text: string } | { readonly refused: string } {
  if (stats.size > MOST_FILE_BYTES)
    return {
      refused: `${relative(root, path)} has ${Math.ceil(stats.size / 2 ** 20)} MiB; at most ${MOST_FILE_BYTES / 2 ** 20} MiB are read`,
    }
  try {
    return { text: readFileSync(path, 'utf8') }
  } catch (error) {
    return { refused: `${relative(root, path)} cannot be read: ${error instanceof Error ? error.message : error}` }
  }
}

/** @param line starts at 1 @returns the line with those around it; empty when the text has no such line */
export function codeAround(text: string, line: number): Code {
  const lines = text.split('\n')
  if (line < 1 || line > lines.length) return []
  const first = Math.max(1, line - LINES_AROUND)
  return lines.slice(first - 1, line + LINES_AROUND).map((one, index) => ({
    line: first + index,
    text: one.slice(0, MOST_LINE_CHARACTERS).replace(/\r$/, ''),
    ran: first + index === line,
  }))
}

/** A source that a map names. */
export interface NamedSource {
  /** Relative to its root where possible. */
  readonly name: string
  readonly file: FoundFile | null
}

/** @param mapFolder the folder to which relative names in the map belong */
export function namedSource(source: string, mapFolder: string, roots: readonly string[]): NamedSource {
  const bundled = bundledName(source)
  const path = source.startsWith('file:') ? fileURLToPath(source) : source
  const isPath = isAbsolute(path) || !/^[a-z][a-z+.-]+:/i.test(path)
  const paths = bundled !== null ? roots.map((root) => join(root, bundled)) : isPath ? [resolve(mapFolder, path)] : []
  const file = findFile(paths, roots)
  if (file !== null && file !== 'outside') return { name: relative(file.root, file.path), file }
  return { name: bundled ?? path.replace(/^(?:\.{1,2}\/)+/, ''), file: null }
}
