let countFormat: Intl.NumberFormat | null = null

/** `12,345` */
export function formatCount(count: number): string {
  // The first one loads the data of the language: 9 ms, which a start need not wait for.
  countFormat ??= new Intl.NumberFormat('en', { useGrouping: true })
  return countFormat.format(count)
}

/** `1 span`, `2 spans`, `12,345 spans`; pass the plural where it does not end in s. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`

/** A duration with three significant digits: `840 µs`, `12.4 ms`, `3.06 s`, `2 min 5 s`; `–` when it is no number. */
export function formatDurationUs(us: number): string {
  if (!Number.isFinite(us)) return '–'
  if (us === 0) return '0 ms'
  const size = Math.abs(us)
  if (size < 999.5) return `${Math.round(us)} µs`
  if (size < 999_500) return `${threeDigits(us / 1000)} ms`
  if (size < 59_950_000) return `${threeDigits(us / 1_000_000)} s`
  return formatSeconds(us / 1_000_000)
}

/** As `formatDurationUs`, from milliseconds. */
export const formatDurationMs = (ms: number): string => formatDurationUs(ms * 1000)

/** Removes trailing zeros, for a sentence or a limit: `1.50 s` becomes `1.5 s`, `30.0 s` becomes `30 s`. */
export const withoutTrailingZeros = (formatted: string): string =>
  formatted.replace(/\.0+(?= )|(\.\d*?[1-9])0+(?= )/, '$1')

/** Whole seconds in at most two units: `42 s`, `2 min 5 s`, `3 h 12 min`, `2 d 4 h`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return twoUnits(Math.floor(whole / 60), 'min', whole % 60, 's')
  if (whole < 86_400) return twoUnits(Math.floor(whole / 3600), 'h', Math.floor((whole % 3600) / 60), 'min')
  return twoUnits(Math.floor(whole / 86_400), 'd', Math.floor((whole % 86_400) / 3600), 'h')
}

/** `512 B`, `57.3 kB`, `1.05 MB`: powers of ten, as the limits of the protocol count. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 999_500) return `${threeDigits(bytes / 1000)} kB`
  if (bytes < 999_500_000) return `${threeDigits(bytes / 1_000_000)} MB`
  return `${threeDigits(bytes / 1_000_000_000)} GB`
}

/** `12.5 MiB`: powers of two, as the settings for disk and memory count. */
export const formatMebibytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`

function threeDigits(value: number): string {
  const size = Math.abs(value)
  return value.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0)
}

const twoUnits = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`

/** C0 and C1 controls, marks that change the direction of text, and Unicode line separators. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/**
 * Workflow commands, which the runner of GitHub Actions obeys wherever a job prints them: `::…` at the start of a line,
 * after white space, and the old form `##[…` anywhere.
 */
const WORKFLOW_COMMAND = /(?<=^\s*):(?=:)|(?<=##)\[/g

const codeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Makes received text safe to print on one line: replaces characters that control a terminal, and the first character of
 * workflow commands, by their codes.
 */
export const plainText = (text: string): string => text.replace(UNPRINTABLE, codeOf).replace(WORKFLOW_COMMAND, codeOf)

const SGR = /(\p{Cc}\[[\d;]{0,24}m)/u
/** Parameters for colour, weight, italics and underline: others hide text or make it blink. */
const isColour = (sequence: string): boolean =>
  sequence.startsWith('\u001b') &&
  sequence
    .slice(2, -1)
    .split(';')
    .every(
      (code, index, all) =>
        /^(?:[0-4]?|2[1-4]|[34][0-9]|9[0-7]|10[0-7])$/.test(code) || (index > 0 && /^[34]8$/.test(all[0] ?? '')),
    )

/** The same for a line of another program, which may set colours. */
export const colouredText = (text: string): string =>
  text
    .split(SGR)
    .map((part, index) => (index % 2 === 1 && isColour(part) ? part : plainText(part)))
    .join('')

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text for HTML, XML and their attributes. */
export const escapeMarkup = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
