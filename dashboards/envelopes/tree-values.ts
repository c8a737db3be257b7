import { formatCount, plural } from '../../lib/format'

/** The entries of an object or array in order; `null` for any other value. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] | null {
  return typeof value === 'object' && value !== null ? Object.entries(value) : null
}

/** Entries below the second level are folded initially. */
const OPEN_LEVELS = 2

/** @param level 1 for the entries of the payload itself */
export const isOpenAtFirst = (level: number): boolean => level < OPEN_LEVELS

/** This many entries are shown at first, and more at each press. */
export const ENTRIES_AT_ONCE = 100
/** Longer strings are cut until a person wants all of it. */
export const LONGEST_STRING = 200

/** A long string is cut at its limit, or after its first lines. */
const MOST_LINES = 6

/** The beginning of a long string; `null` for one that is shown whole. */
export function cutString(text: string): string | null {
  const lines = text.split('\n', MOST_LINES + 1)
  const cut = lines.length > MOST_LINES ? lines.slice(0, MOST_LINES).join('\n') : text
  const shown = cut.slice(0, LONGEST_STRING)
  return shown.length < text.length ? shown : null
}

const PREVIEW = 100
const PREVIEWED_STRING = 40

/** The content of a folded entry on one line: `{type: "Error", value: "card decl…}`. */
export function previewOf(value: unknown): string {
  const text = written(value, PREVIEW)
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text
}

/** Stops soon after `most` characters, however large or deep a value is. */
function written(value: unknown, most: number): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > PREVIEWED_STRING ? `${value.slice(0, PREVIEWED_STRING)}…` : value)
  const entries = entriesOf(value)
  if (entries === null) return String(value)
  const isArray = Array.isArray(value)
  let text = ''
  for (const [key, child] of entries) {
    if (text.length > most) break
    const before = `${text === '' ? '' : ', '}${isArray ? '' : `${key}: `}`
    text += before + written(child, most - text.length - before.length - 1)
  }
  return isArray ? `[${text}]` : `{${text}}`
}

/** `3 entries`, `1,024 items` */
export const sizeOf = (value: unknown): string => {
  const count = entriesOf(value)?.length ?? 0
  return Array.isArray(value) ? plural(count, 'item') : plural(count, 'entry', 'entries')
}

/** `Show 100 more of 1,024`; `null` when all are shown. */
export const moreText = (shown: number, all: number): string | null =>
  shown >= all ? null : `Show ${formatCount(Math.min(ENTRIES_AT_ONCE, all - shown))} more of ${formatCount(all)}`
