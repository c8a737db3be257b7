/** The tokens that `text=` compares: runs of letters and digits, lower case, no accents, ß as ss, each once. */
export function tokensOf(text: string): readonly string[] {
  const plain = isAscii(text) ? text : text.normalize('NFKD').replace(/\p{M}+/gu, '')
  return [
    ...new Set(
      plain
        .toLowerCase()
        .replace(/ß/g, 'ss')
        .match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [],
    ),
  ]
}

/** A fast path: most texts are ASCII and need no normalisation. */
const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

export const tokensOfAll = (texts: readonly (string | null)[]): readonly string[] =>
  texts.flatMap((text) => (text === null ? [] : tokensOf(text)))

export const startsAny = (prefix: string, tokens: readonly string[]): boolean =>
  tokens.some((token) => token.startsWith(prefix))

export function hasTokens(prefixes: readonly string[], texts: readonly (string | null)[]): boolean {
  const tokens = tokensOfAll(texts)
  return prefixes.every((prefix) => startsAny(prefix, tokens))
}

/** Whether a text contains these words next to each other, with the same characters between them. Ignores case. */
export function hasPhrase(phrase: string, texts: readonly (string | null)[]): boolean {
  return texts.some((text) => {
    const small = text?.toLowerCase() ?? ''
    for (let at = small.indexOf(phrase); at >= 0; at = small.indexOf(phrase, at + 1))
      if (isBoundary(small, at) && isBoundary(small, at + phrase.length)) return true
    return false
  })
}

const WORD = /[\p{L}\p{N}\p{Co}]/u

/** No word goes on across this index. */
const isBoundary = (text: string, at: number): boolean => !WORD.test(text[at - 1] ?? ' ') || !WORD.test(text[at] ?? ' ')
