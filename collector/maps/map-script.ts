import { basename, dirname, relative, resolve } from 'node:path'
import { type FindOriginal, linkOf, readSourceMap, type ScriptLink } from '../../lib/unminify/source-map'
import { isLibrarySource } from '../../lib/unminify/source-name'
import { type FoundFile, findFile } from './find-script'
import { type Code, codeAround, namedSource, readFile } from './source-code'

/** A position of a script in its source. */
export interface MappedPosition {
  readonly source: string
  readonly path: string | null
  readonly line: number
  readonly column: number
  readonly name: string | null
  readonly isLibrary: boolean
  readonly code: Code
}

/** A script on disk with its source map. It is kept only while one event is mapped. */
export interface OpenScript {
  /** @returns `null` when the script has no such line */
  readonly line: (line: number) => string | null
  readonly code: (line: number) => Code
  /** Whether the script names a source map, which may be missing. */
  readonly namesMap: boolean
  /** Maps positions, which start at 1; or why there is no map. */
  readonly map:
    | { readonly find: (line: number, column: number) => MappedPosition | null }
    | { readonly kind: 'not found' | 'refused'; readonly reason: string; readonly lookedFor: readonly string[] }
}

/** Reads a script, and the map that it names or that lies next to it. @returns a sentence when it cannot be read */
export function openScript(script: FoundFile, roots: readonly string[]): OpenScript | { readonly refused: string } {
  const read = readFile(script)
  if ('refused' in read) return read
  const { text } = read
  const lines = text.split('\n')
  const link = linkOf(text)
  return {
    line: (line) => lines[line - 1] ?? null,
    code: (line) => codeAround(text, line),
    namesMap: link !== null,
    map: openMap(script, link, roots),
  }
}

function openMap(script: FoundFile, link: ScriptLink | null, roots: readonly string[]): OpenScript['map'] {
  const name = relative(script.root, script.path)
  if (link !== null && 'inline' in link) return findIn(readSourceMap(link.inline), dirname(script.path), roots, name)
  if (link !== null && /^[a-z][a-z+.-]+:/i.test(link.file))
    return { kind: 'refused', reason: `${name} names a source map at an address, which is not fetched`, lookedFor: [] }
  const path = link === null ? `${script.path}.map` : resolve(dirname(script.path), link.file)
  const file = findFile([path], roots)
  if (file === 'outside')
    return { kind: 'refused', reason: `the source map that ${name} names is outside the roots`, lookedFor: [path] }
  if (file === null)
    return {
      kind: 'not found',
      reason:
        link === null
          ? `${name} names no source map, and there is no ${basename(path)} next to it`
          : `${name} names a source map that does not exist`,
      lookedFor: [path],
    }
  const read = readFile(file)
  if ('refused' in read) return { kind: 'refused', reason: read.refused, lookedFor: [path] }
  return findIn(readSourceMap(read.text), dirname(file.path), roots, relative(file.root, file.path))
}

function findIn(find: FindOriginal | null, folder: string, roots: readonly string[], name: string): OpenScript['map'] {
  if (find === null) return { kind: 'not found', reason: `the source map in ${name} is broken`, lookedFor: [] }
  return {
    find: (line, column) => {
      const found = find(line, column)
      if (found === null) return null
      const { name: source, file } = namedSource(found.source, folder, roots)
      const onDisk = found.content === null && file !== null ? readFile(file) : null
      const content = found.content ?? (onDisk !== null && 'text' in onDisk ? onDisk.text : null)
      return {
        source,
        path: file === null ? null : file.path,
        line: found.line,
        column: found.column,
        name: found.name,
        isLibrary: isLibrarySource(found.source) || isLibrarySource(source),
        code: content === null ? [] : codeAround(content, found.line),
      }
    },
  }
}
