import { scrubText } from './scrub-text'

/** So much of a path is kept, and of one name in it. */
const LONGEST_PATH = 200
const LONGEST_NAME = 64

/**
 * The way to what was removed, ready to be stored and shown: `0.request.headers.Authorization`. A name may be anything
 * that somebody sent, an e-mail address or markup; it is cut, freed of signs that say something elsewhere, and no secret.
 * @param way through the envelope: an item's number, then that through its payload.
 */
export function removedPath(way: readonly (string | number)[]): string {
  let path = ''
  for (const [index, part] of way.entries()) {
    path += `${index === 0 ? '' : '.'}${typeof part === 'number' ? part : harmless(part)}`
    if (path.length >= LONGEST_PATH) return `${path.slice(0, LONGEST_PATH - 1)}…`
  }
  return path
}

function harmless(name: string): string {
  const short = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name
  const isSecret =
    scrubText(name.slice(0, 4 * LONGEST_NAME), 'plain', () => undefined) !== name.slice(0, 4 * LONGEST_NAME)
  if (isSecret) return '_'
  return short.replaceAll(/[^\p{L}\p{N}_.$:/…-]/gu, '_')
}
