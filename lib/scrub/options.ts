import { endOfValue, isQuoted } from './end-of-value'
import { FILTERED, saysNothing } from './rule'
import { isSecretName } from './secret-names'

/** Looked at once where it begins; a longer one is none. */
const NAME_OF_OPTION = '--?([A-Za-z][\\w-]{1,63})'
/** An option, and what stands before its value: blanks, or what parts the texts of a list. */
const OPTION = new RegExp(
  `(?<![\\w-])${NAME_OF_OPTION}(?![\\w-])([ \\t]{1,4}\\\\{0,3}["']?|\\\\{0,3}["'][ \\t]{0,4},[ \\t]{0,4}\\\\{0,3}["'])`,
  'g',
)
const ALONE = new RegExp(`^${NAME_OF_OPTION}$`)
/** Where a secret is found, or how it is asked for; no secret itself. */
const ABOUT_ONE =
  /^(?:no|without|disable|skip|ask|prompt|use)-|-(?:file|path|stdin|type|prompt|env|name|url|method|mode|ttl|length|store|provider)$/i
/** Who writes about an option goes on so. */
const PROSE =
  /(?:to|or|and|is|was|are|as|for|in|on|of|with|from|options?|flags?|arguments?|parameters?|not|must|should|will|can|cannot|requires?|needs?|if|when|instead|at|by|the|an?|via|has|twice)(?![^\s,.;:)])/iy

/** Does the argument after this one hold a secret? @param text one argument of a command. */
export const optionOfSecret = (text: string): string | null => {
  const name = text.startsWith('-') ? ALONE.exec(text)?.[1] : undefined
  return name !== undefined && saysSecret(name) ? name : null
}

const saysSecret = (name: string): boolean => !ABOUT_ONE.test(name) && isSecretName(name)

/** Values of options with a blank between, as a command line has them, or as the next text of a list. */
export function scrubOptions(text: string, stays: (text: string, at: number) => boolean): string {
  if (!text.includes('-')) return text
  let out = ''
  let kept = 0
  OPTION.lastIndex = 0
  for (let found = OPTION.exec(text); found !== null; found = OPTION.exec(text)) {
    const [, name = '', between = ''] = found
    const from = OPTION.lastIndex
    if (!saysSecret(name) || text.startsWith(FILTERED, from) || text[from] === '-' || stays(text, from)) continue
    PROSE.lastIndex = from
    if (!isQuoted(between) && PROSE.test(text)) continue
    const end = endOfValue(text, from, between)
    if (end === from || saysNothing(text.slice(from, end))) continue
    out += text.slice(kept, from) + FILTERED
    kept = end
    OPTION.lastIndex = end
  }
  return out + text.slice(kept)
}
