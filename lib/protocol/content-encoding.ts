import { fail, type Result, succeed } from './result'

const CODINGS = ['gzip', 'deflate', 'br', 'zstd'] as const
export type Coding = (typeof CODINGS)[number]

/**
 * What Content-Encoding says. Words that are no coding (empty, `identity`, `utf-8`, which old SDKs for Ruby and Android
 * write there) mean none, as in Relay: whoever wrote something else wrote no envelope, and the framing will tell.
 * @returns the one coding, `null` for none, or a sentence when there are several: they are never undone one by one.
 */
export function readContentEncoding(header: string | null): Result<Coding | null, string> {
  const found = (header ?? '').split(',').flatMap((word) => codingOf(word.trim().toLowerCase()))
  if (found.length > 1)
    return fail(`Content-Encoding names ${found.length} codings, one over the other; at most one is undone here`)
  return succeed(found[0] ?? null)
}

function codingOf(word: string): readonly Coding[] {
  if (word === 'x-gzip') return ['gzip']
  return CODINGS.filter((coding) => coding === word)
}
