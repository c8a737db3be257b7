import type { SourceLine } from '../verdict'

/** What was checked out, by whose paths annotations name files. */
export interface Checkout {
  /** Absolute. */
  readonly root: string
  /** Where the program ran, by its path below the root without a slash at either end; empty for the root itself. */
  readonly folder: string
  /** Is there such a file? The path is below the root. */
  readonly isFile: (path: string) => boolean
}

/** What a tool made or fetched is no line that anybody mends, though its file may be there. */
const NOT_OWN = /(?:^|\/)(?:node_modules|_next|\.next)\//

/** A line of a stack as one of a file that was checked out; `null` where it is none: an address, a bundle, or elsewhere. */
export function lineIn({ file, line }: SourceLine, { root, folder, isFile }: Checkout): SourceLine | null {
  const path = file.replace(/^(?:file:\/\/(?=\/)|app:\/\/\/)/, '').replace(/[?#].*$/, '')
  const below = `${root.replace(/\/+$/, '')}/`
  const found = (path.startsWith(below) ? [path.slice(below.length)] : besides(path, folder)).find(
    (one) => !NOT_OWN.test(one) && isFile(one),
  )
  return found === undefined ? null : { file: found, line }
}

/** A relative path is of where the program ran, or of the root. */
function besides(path: string, folder: string): readonly string[] {
  if (/^(?:[a-z][\w+.-]*:|\/|<)/i.test(path) || path.split('/').includes('..')) return []
  const plain = path.replace(/^(?:\.\/)+/, '')
  return folder === '' ? [plain] : [`${folder}/${plain}`, plain]
}
