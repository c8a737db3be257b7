import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A position in a bundle, as Node prints it in a frame of a stack. */
const POSITION = /(file:\/\/\/[^\s()]+?\.js):(\d+):(\d+)/g

/** Maps that were read, by the address of their bundle. They take tens of megabytes, so none is read before a stack. */
const maps = new Map<string, BundleMap | null>()

interface BundleMap {
  readonly map: SourceMap
  readonly folder: string
}

/**
 * Names the source files in the stack of an error, through the source maps next to the bundles. Node's own option
 * `--enable-source-maps` reads every map while modules load.
 * @param stack a stack, or any other text
 * @returns the text; positions without a source map stay as they are, such as those of the package, which has no maps
 */
export const mapStack = (stack: string): string =>
  stack.replace(POSITION, (position, bundle: string, line: string, column: string) => {
    if (!maps.has(bundle)) maps.set(bundle, readMap(bundle))
    const found = maps.get(bundle)
    return (found && sourceAt(found, Number(line) - 1, Number(column) - 1)) ?? position
  })

function readMap(bundle: string): BundleMap | null {
  try {
    const file = `${fileURLToPath(bundle)}.map`
    const payload: SourceMapPayload = JSON.parse(readFileSync(file, 'utf8'))
    return { map: new SourceMap(payload), folder: dirname(file) }
  } catch {
    // A missing or broken map only makes the stack harder to read.
    return null
  }
}

/** @param line starts at 0 @param column starts at 0 */
function sourceAt({ map, folder }: BundleMap, line: number, column: number): string | null {
  const entry = map.findEntry(line, column)
  if (!('originalSource' in entry) || entry.generatedLine !== line) return null
  return `${resolve(folder, entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
}
