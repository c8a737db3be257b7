/** Characters that can disguise a text. Zero-width joiners (U+200C, U+200D) stay: Persian, Hindi, emoji need them. */
const DISGUISING =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** Writes out invisible and direction-changing characters of received text; line ends stay only with `lines`. */
export function printable(text: string, keep: 'line' | 'lines' = 'line'): string {
  return text.replace(DISGUISING, (found) => {
    if (keep === 'lines' && (found === '\n' || found === '\t')) return found
    const code = found.codePointAt(0) ?? 0
    // Control pictures: ␀ … ␟, ␡.
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    if (code === 0x7f) return '\u2421'
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}

/** Any received value as text: strings as they are, the rest as JSON. */
export function printableValue(value: unknown, keep: 'line' | 'lines' = 'line'): string {
  if (typeof value === 'string') return printable(value, keep)
  return printable(JSON.stringify(value, null, keep === 'lines' ? 2 : undefined) ?? String(value), keep)
}

/** Received JSON text indented; other text as it is. */
export function printablePayload(text: string): string {
  return printable(indentJson(text) ?? text.replaceAll('\r\n', '\n'), 'lines')
}

function indentJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return null
  }
}
