/**
 * Splits a text into the words that `text=` compares: runs of letters and digits, lower case, without accents, ß as ss, each once.
 * Stored texts and queries both use this function, so they always agree.
 */
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

export const startsAny = (wanted: string, words: readonly string[]): boolean =>
  words.some((word) => word.startsWith(wanted))

/** True when each wanted word is the beginning of a word in the texts. */
export function hasTokens(wanted: readonly string[], texts: readonly (string | null)[]): boolean {
  const words = tokensOfAll(texts)
  return wanted.every((one) => startsAny(one, words))
}
