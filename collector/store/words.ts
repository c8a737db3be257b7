/**
 * The words of a text, as `text=` compares them: runs of letters and digits, small, without accents, each once. What is
 * stored and what is asked for are cut by this one function, so that no two alphabets have to agree.
 */
export function wordsOf(text: string): readonly string[] {
  const plain = isAscii(text) ? text : text.normalize('NFKD').replace(/\p{M}+/gu, '')
  return [...new Set(plain.toLowerCase().match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [])]
}

/** Most names are, and their letters are all there is to fold. */
const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)
