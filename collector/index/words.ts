/**
 * The words of a text, as `text=` compares them: runs of letters and digits, small, without accents and with ss for ß, each once. What is
 * stored and what is asked for are cut by this one function, so that no two alphabets have to agree.
 */
export function wordsOf(text: string): readonly string[] {
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

/** Most names are, and their letters are all there is to fold. */
const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

export const wordsIn = (texts: readonly (string | null)[]): readonly string[] =>
  texts.flatMap((text) => (text === null ? [] : wordsOf(text)))

export const beginsOneOf = (wanted: string, words: readonly string[]): boolean =>
  words.some((word) => word.startsWith(wanted))

/** Does each word begin one of the texts'? */
export function hasWords(wanted: readonly string[], texts: readonly (string | null)[]): boolean {
  const words = wordsIn(texts)
  return wanted.every((one) => beginsOneOf(one, words))
}
