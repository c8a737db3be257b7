/* Replaces the parameters of a message by their kind: `order 17 of a@b.de failed` becomes `order <int> of <email> failed`. */

/** Longer texts stay as they are. */
export const MOST_PARAMETERISED_CHARACTERS = 8192

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}'
const WEEKDAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}'
const ZONE = '(?: ?(?:Z\\b|GMT|UTC|[A-Z]{3}\\b)?(?:[+-]\\d\\d:?\\d\\d)?)'
const CLOCK = '\\d{1,2}:\\d\\d(?::\\d\\d(?:[.,]\\d{1,9})?)?(?: ?[AaPp][Mm]\\b)?'
const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
/** Top-level domains that are no words of programs: `x.is`, `window.app` and `list.at` are no hosts. */
const DOMAIN =
  'com|net|org|io|dev|edu|gov|info|biz|eu|de|fr|uk|nl|ch|es|pl|ru|jp|cn|br|au|ca|kr|se|dk|cz|be|tv|us|xyz|cloud|local|internal'
/** A digit and a letter, in one case. */
const mixed = (letters: string, length: string): string =>
  `\\b(?=[${letters}]*\\d)(?=\\d*[${letters}])[\\d${letters}]${length}\\b`

/** In the order in which they are tried at each position. Every repetition is bounded, so the time is linear. */
const PATTERNS = [
  ['email', "(?<![\\w.+-])[\\w.!#$%&'*+/?^`{|}~-]{1,64}@[\\w-]{1,63}(?:\\.[\\w-]{1,63}){1,8}"],
  ['url', '\\b(?:wss?|https?|ftp)://[^\\s"\'`<>{}|\\\\^]{0,2000}[^\\s"\'`<>{}|\\\\^.,;:!?)\\]]'],
  [
    'hostname',
    `(?<![\\w.@-])(?:(?:[a-z\\d][a-z\\d-]{0,62}\\.){1,8}(?:${DOMAIN})|(?:[A-Z\\d][A-Z\\d-]{0,62}\\.){1,8}(?:${DOMAIN.toUpperCase()}))\\b(?!\\.\\w|\\()`,
  ],
  ['traceparent', '\\b00-[\\da-f]{32}-[\\da-f]{16}-0[01]\\b|\\b1-[\\da-f]{8}-[\\da-f]{24}\\b'],
  ['uuid', '\\b[\\da-fA-F]{8}-(?:[\\da-fA-F]{4}-){3}[\\da-fA-F]{12}\\b'],
  ['sha1', '\\b[\\da-fA-F]{40}\\b'],
  ['md5', '\\b[\\da-fA-F]{32}\\b'],
  [
    'date',
    [
      `\\b${WEEKDAY},? (?:\\d{1,2}[ -]${MONTH}[ -]\\d{2,4}|${MONTH} \\d{1,2}(?:,? \\d{4})?)(?:,? ${CLOCK})?(?: \\d{4}\\b)?${ZONE}(?: \\([^)]{1,40}\\))?`,
      `\\b\\d{1,2} ${MONTH} \\d{4}(?:,? ${CLOCK}${ZONE})?`,
      `\\b\\d{4}-\\d\\d-\\d\\d(?:[T ]${CLOCK}${ZONE})?(?![\\w-])`,
      `(?<![\\w.:/-])${CLOCK}(?![\\w:])`,
      'datetime\\.datetime\\([^)]{1,80}\\)',
    ].join('|'),
  ],
  ['mac', '\\b(?:[\\da-fA-F]{2}[:-]){5}[\\da-fA-F]{2}\\b'],
  [
    'ip',
    `\\b(?:${OCTET}\\.){3}${OCTET}\\b(?!\\.\\d)|(?<![\\w:])(?=[\\da-fA-F:]{0,39}\\d)(?:(?:[\\da-fA-F]{1,4}:){7}[\\da-fA-F]{1,4}|(?:(?:[\\da-fA-F]{1,4}:){1,6}|:)(?::[\\da-fA-F]{1,4}){1,6})(?![\\w:])`,
  ],
  ['duration', '\\b\\d{1,20}ms\\b|\\b\\d{1,20}(?:\\.\\d{1,20})?s\\b'],
  ['swift_txn_id', '\\btx[\\da-f]{21}-[\\da-f]{10}[\\w-]{0,40}'],
  [
    'hex',
    `\\b0[xX][\\da-fA-F]{1,128}\\b|${mixed('a-f', '{4,6}')}|${mixed('A-F', '{4,6}')}|\\b(?:[\\da-f]{8,128}|[\\dA-F]{8,128})\\b`,
  ],
  ['git_sha', mixed('a-f', '{7}')],
  ['float', '(?:(?<!\\w)-)?\\b\\d{1,20}\\.\\d{1,20}(?:[eE][+-]?\\d{1,3})?\\b'],
  ['int', '(?:(?<!\\w)-)?\\b\\d{1,7}\\b'],
  ['quoted_str', '(?<==)(?:\'[^\']{0,1000}\'|"[^"]{0,1000}")'],
  ['bool', '(?<==)(?:[Tt]rue|[Ff]alse)\\b'],
] as const

/** A parameter is replaced by one of these: `<int>`, `<uuid>`. */
export const PLACEHOLDERS: readonly string[] = PATTERNS.map(([name]) => `<${name}>`)
/** Every pattern starts where no word character stands before it: one test of that skips most positions. */
const ANY = new RegExp(`(?<!\\w)(?:${PATTERNS.map(([, pattern]) => `(${pattern})`).join('|')})`, 'g')

/** Returns the text with each parameter replaced by its kind. */
export function parameterise(text: string): string {
  if (text.length > MOST_PARAMETERISED_CHARACTERS) return text
  return text.replace(ANY, (match: string, ...groups: unknown[]) => {
    const index = groups.findIndex((group) => group !== undefined)
    return PLACEHOLDERS[index] ?? match
  })
}

/** The part of a message that is compared: its first two lines that are not empty, with parameters replaced. */
export function comparedMessage(message: string): string {
  const lines = message
    .slice(0, MOST_PARAMETERISED_CHARACTERS)
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '')
  const isCut = lines.length > 2 || message.length > MOST_PARAMETERISED_CHARACTERS
  return parameterise(
    isCut ? `${lines.slice(0, 2).join('\n')}...`.slice(0, MOST_PARAMETERISED_CHARACTERS) : lines.join('\n'),
  )
}
