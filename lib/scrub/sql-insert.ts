import { FILTERED, isNoSecretValue, type Removes } from './rules'
import { isSecretField } from './secret-names'

/** The columns, up to the first row. The length limits keep matching linear. */
const INSERT =
  /\b(?:INSERT|REPLACE)\s{1,8}(?:IGNORE\s{1,8})?INTO\s{1,8}[^\s()]{1,128}\s{0,8}\(([^()]{1,2000})\)\s{0,8}VALUES\s{0,8}\(/gi
/** A literal with doubled or escaped quotes, or anything up to a comma or the end of the row. */
const VALUE =
  /\s*(?:[NE]?'((?:[^'\\]|''|\\[\s\S])*)'?|\\{0,15}"((?:[^"\\]|\\(?!"))*)\\{0,15}"?|([^,()'"]*(?:\([^()]*\))?))/iy
const NEXT_ROW = /\s{0,8}\)\s{0,8},\s{0,8}\(/y

/** `INSERT INTO users (name, password) VALUES ('bo', '…')`: a value is secret by the name of its column. Parameters stay. */
export function scrubInserts(text: string, removes: Removes): string {
  if (!/\binto\b/i.test(text) || !/\bvalues\b/i.test(text)) return text
  let out = ''
  let kept = 0
  INSERT.lastIndex = 0
  for (let found = INSERT.exec(text); found !== null; found = INSERT.exec(text)) {
    const columns = (found[1] ?? '').split(',').map((column) => column.replaceAll(/[^\p{L}\p{N}_]/gu, ''))
    if (!columns.some(isSecretField)) continue
    let column = 0
    let at = INSERT.lastIndex
    while (at < text.length) {
      VALUE.lastIndex = at
      const [whole = '', single, double, bare] = VALUE.exec(text) ?? []
      const value = single ?? double ?? ''
      const name = columns[column] ?? ''
      const start = at + whole.indexOf(value)
      const isSecret = value !== '' && bare === undefined && !isNoSecretValue(value) && !value.startsWith(FILTERED)
      if (
        isSecret &&
        isSecretField(name) &&
        removes({ rule: 'parameter', value, name, between: '="', text, at: start })
      ) {
        out += text.slice(kept, start) + FILTERED
        kept = start + value.length
      }
      at += whole.length
      NEXT_ROW.lastIndex = at
      if (NEXT_ROW.test(text)) {
        column = 0
        at = NEXT_ROW.lastIndex
      } else if (/[\s,]/.test(text[at] ?? '')) {
        if (text[at] === ',') column += 1
        at += 1
      } else break
    }
    INSERT.lastIndex = Math.max(at, INSERT.lastIndex)
  }
  return out + text.slice(kept)
}
