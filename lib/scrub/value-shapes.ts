/** Words that stand for a value, or say something about one: `password: required`, `token=null`, `secret=changeme`. */
const ORDINARY = new Set(
  (
    'a access account acme all allow allowed an and any anonymous api app apply are as at auth authentication authorization auto ' +
    'autocomplete available backend base basic bcrypt be bearer bool boolean bytes bytea can cannot change changed changeme changeit char ' +
    'client code complete config configured confirm confirmation confirmed correct create created credential credentials current ' +
    'custom data database db default define defined demo denied deploy dev digest disabled does dummy email empty enable enabled ' +
    'encrypted end env environment error example expected expired expires external fail failed fake false field file filtered final for ' +
    'found from generated get github guest has hashed have header here hidden id identifier if ignored immutable in include incorrect info insert ' +
    'input int integer internal invalid is it item jwt key keys kubernetes last length level list local login long manager ' +
    'managed map masked match matched max me method min missing mismatch mode must my name never new nil no none not now null number ' +
    'oauth object of off ok old omit omitted on only open openid opaque optional or origin other passed passphrase passwd password ' +
    'passwords pending plain plaintext please policy previous private production prompt protected provided provider public put pwd read refresh ' +
    'readonly redacted refreshed rejected removed renewed replace request required reset restricted result root rotate rotated same ' +
    'sample scope secret secrets self sensitive server service session set shared should some standard static stdin str string strong ' +
    'succeeded success sufficient super test text the this to token tokens true type undefined unexpected unknown unset updated user ' +
    'username valid validated value varchar vault verified was weak will with wrong x xxx yes you your'
  ).split(' '),
)

/** Also a small number: `min:8`. */
const isOrdinaryWord = (word: string): boolean => /^\d{1,3}$/.test(word) || ORDINARY.has(word.toLowerCase())

const wordsIn = (value: string): readonly string[] =>
  value.split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])/).filter((word) => word !== '')

/** Consists of ordinary words only: `your-secret-key`, `same-origin`, `client_secret_basic`. */
export const isOrdinary = (value: string): boolean => /[A-Za-z]/.test(value) && wordsIn(value).every(isOrdinaryWord)

/** `***`, `sk-…abcd`, `xxxxxx`, `<redacted>`, `[Filtered]`, `••••`. */
const MASK = /\*{2}|•{2}|…|\.{3}|x{5}|^[*•.x#_?-]+$|^[[(<{]{1,2}[\w :.-]{0,60}[\])>}]{1,2}$/i
/** Examples in documentation; AWS ends its keys with EXAMPLE. */
const EXAMPLE = /EXAMPLE|(?:^|[-_])(?:your|my|insert|replace|placeholder|dummy|changeme)[-_]|^(.)\1+$/i
/**
 * Parameters and references: `$1`, `?`, `:name`, `@p1`, `%s`, `%(name)s`, `{0}`, `${NAME}`, `$(cmd)`, `%NAME%`, `!vault`, `ENC[…]`,
 * `process.env.NAME`, `req.body.password`, `getenv("NAME")`.
 */
const REFERENCE = new RegExp(
  [
    '\\$(?:\\d{1,3}$|[A-Za-z_]+$|[A-Z][A-Z0-9_]*$|[{(])',
    '\\?\\d{0,3}$',
    ':[A-Za-z_]\\w{0,40}$',
    '@(?:p\\d{1,3}|[A-Za-z_]+)$',
    '%(?:[sdrvqp]$|\\(|[A-Za-z_]+%$)',
    '[#%]?\\{',
    '![a-z]',
    '(?:ENC|vault)[[(:]',
    '(?:process|env|os|req|request|self|this|user|config|settings|form|params|options|props|data|body|args|ctx|context|secrets|vars|var|' +
      'local|module|inputs|values|credentials|auth|account|event|headers|cookies|session|response|state|ENV|System)(?:\\.|\\[|\\?\\.)',
    '[A-Za-z_][\\w.]{0,60}\\(',
  ]
    .map((form) => `^(?:${form})`)
    .join('|'),
)

/** Stands for a value that was left out, or names the position of one. */
export const isPlaceholder = (value: string): boolean =>
  value === '' ||
  MASK.test(value) ||
  EXAMPLE.test(value) ||
  REFERENCE.test(value.replace(/[,;]$/, '')) ||
  isOrdinary(value)

/** Shannon entropy in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/** Dates, versions, durations, sizes, addresses with a port, and names of files with a line. */
const TECHNICAL =
  /^(?:\d{4}-\d\d-\d\d|v?\d+(?:\.\d+){1,3}(?:[-+][\w.]+)?$|(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|d|kb|mb|gb|kib|mib|%|px))+$|[\w.-]+:\d{1,5}$)/i
const FILE =
  /\.(?:[cm]?[jt]sx?|go|py|rb|java|kt|cs|php|rs|[ch](?:pp)?|json|ya?ml|pem|key|crt|txt|html?|css|md|sh|sql|env|toml|ini|cfg|conf|xml|log|svg|png)(?::\d+)*\)?$/i
/** A folder or an address: two parts of plain words between slashes, or a scheme. */
const PATH = /^(?:arn:|[a-z][a-z\d+.-]*:\/\/|~?\.{0,2}\/[\w.-]*(?:\/|$)|(?:[a-z][a-z-]*\/){1,}[\w.-]*$|[A-Za-z]:\\)/
/** Words that a sentence or a validation message contains, and a passphrase rarely. */
const SENTENCE =
  /\b(?:is|are|was|must|should|be|been|the|required|not|characters?|invalid|match|fields?|has|cannot|can't|least|please|password|with|failed|expired|than)\b/i

const isTechnical = (value: string): boolean => TECHNICAL.test(value) || FILE.test(value) || PATH.test(value)

const SHORTEST_RANDOM = 16
const LONGEST_JUDGED = 512
const OPAQUE = /^[\w+/=.~:|$-]+$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const HEX = /^[0-9a-f]+$/i
/** Lower bounds of the entropy in bits per character. Text of random hex digits reaches 4, of base64 6. */
const HEX_BITS = 2.5
const MIXED_BITS = 3
const LETTER_BITS = 3.9

/** As machines make them: 16 characters or more, without a pattern of words. */
export function looksRandom(given: string): boolean {
  const value = given.slice(0, LONGEST_JUDGED)
  if (value.length < SHORTEST_RANDOM || !OPAQUE.test(value)) return false
  if (UUID.test(value)) return true
  if (isTechnical(value)) return false
  const bits = entropyOf(value)
  if (HEX.test(value)) return /\d/.test(value) && /[a-f]/i.test(value) && bits >= HEX_BITS
  if (!/\d/.test(value) && !/[a-z]/.test(value)) return false
  return (
    (/\d/.test(value) && bits >= MIXED_BITS && hasRandomPart(value)) || (bits >= LETTER_BITS && hasLetterJumble(value))
  )
}

/** A part between separators that mixes digits and letters more than a word with a number does: `x7Kp2Q9d`. */
export const hasRandomPart = (value: string): boolean =>
  value.split(/[-_.+/=~:|$]/).some((part) => part.length >= 6 && switchesIn(part) >= 3)

/** How often letters, digits and cases alternate. A capital at the beginning of a word does not count. */
function switchesIn(part: string): number {
  const kinds = part.replaceAll(/[A-Z](?=[a-z]{2})/g, 'a').match(/[a-z]+|[A-Z]+|\d+/g) ?? []
  return kinds.length - 1
}

/** Letters in changing case, or as many different letters as no word has. */
const hasLetterJumble = (value: string): boolean =>
  value
    .split(/[-_.+/=~:|$]/)
    .some((part) => part.length >= SHORTEST_RANDOM && (switchesIn(part) >= 4 || !/[A-Z]/.test(part)))

const SYMBOL = /[!@#$%&*?+^=~;,<>|§]/
const SHORTEST_CHOSEN = 6
const LONGEST_CHOSEN = 128

/** As people choose passwords: a word with digits or signs in it, or with capitals inside. */
export function looksChosen(given: string): boolean {
  const value = given.replace(/[.,:!?]+$/, '')
  if (given.length < SHORTEST_CHOSEN || given.length > LONGEST_CHOSEN || /\s/.test(given)) return false
  if (!/\p{L}/u.test(value) || isTechnical(value) || value.includes('::') || value.includes('()')) return false
  return /\d/.test(value) || SYMBOL.test(value) || /[a-z][-_.][a-z]*[A-Z]|[a-z][A-Z]{1,3}[a-z]*[-_.]/.test(value)
}

/** Names of things with a number: `oauth2`, `RS256`, `web-3`, `page2`. */
export const looksLikeIdentifier = (value: string): boolean =>
  /^(?:[a-z]{2,5}[-_]?\d{1,4}[a-z]?|[a-z]+\d)$/i.test(value)

/** A passphrase of several words, but no sentence of a message. */
export const looksLikePhrase = (value: string): boolean =>
  value.length >= 10 && value.length <= LONGEST_CHOSEN && !SENTENCE.test(value) && /^[\p{L}\p{N} '!?.,-]+$/u.test(value)
