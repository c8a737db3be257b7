/** Words that make a name secret, as whole words: `author` is not `auth`, and `secretary` is no secret. */
const WORDS = new Set(
  (
    'pwd secret secrets token tokens auth authorization authentication otp totp mfa 2fa credential credentials creds ' +
    'cvv cvc ssn csrf xsrf jwt bearer apikey privatekey sessionid phpsessid jsessionid twofactor'
  ).split(' '),
)

/** Stems that make a name secret inside a longer word too: no harmless word contains them. */
const STEMS =
  /passw(?:or)?d|passphrase|passcode|api_?key|private_?key|secret_?key|encryption_?key|signing_?key|ssh_?key|access_?key|access_?token|auth_?token|refresh_?token|session_?token|client_?secret|credential|credit_?card|card_?number|[a-z]tokens?$|[a-z]secrets?$|[a-z]pwds?$|(?:^|[a-z])(?:otp|mfa)code$|(?:db|user|login|admin|root|mail|smtp|ftp|ssh|mysql|pg|redis|proxy)pass$/

/** Pairs of words; `key` alone can be any key. */
const PAIRS = new Set(
  (
    'api key,private key,secret key,access key,signing key,encryption key,ssh key,master key,account key,shared key,' +
    'session key,two factor,credit card,card number,security code,pin code,pass word,pass phrase,pass code,pass wd,connect sid'
  ).split(','),
)

/** The public key that signs a .NET assembly. */
const NO_SECRET = /public_?key_?token$/i

/** Only the end of a longer name is read. A sender who hides a name this way only exposes their own secret. */
const LONGEST_NAME = 256

/**
 * Whole words, split at hyphens, dots, underscores and capitals: `X-Api-Key`, `apiKey` and `user.api_key` are equal.
 */
export function isSecretName(name: string): boolean {
  if (NO_SECRET.test(name)) return false
  const words = wordsOf(name)
  // `DB_PASS` is secret; `pass` alone is the result of a test.
  if (words.length > 1 && words.at(-1) === 'pass') return true
  return words.some(
    (word, index) =>
      WORDS.has(word) ||
      WORDS.has(one(word)) ||
      STEMS.test(word) ||
      PAIRS.has(`${word} ${one(words[index + 1] ?? '')}`),
  )
}

/** Removes plural and number: `keys`, `key2`. */
const one = (word: string): string => word.replace(/\d{1,8}$/, '').replace(/s$/, '')

export function wordsOf(name: string): readonly string[] {
  return name
    .slice(-LONGEST_NAME)
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
}

/** Session and CSRF cookies of frameworks. */
const COOKIES = new Set(
  (
    'sentrysid sudo su session __session sessionid user_session symfony phpsessid fasthttpsessionid mysession ' +
    'irissessionid csrf csrftoken xsrf _xsrf _csrf csrf-token csrf_token xsrf-token xsrf_token fastcsrf _iris_csrf sid'
  ).split(' '),
)
const COOKIE_WORDS = new Set(['session', 'sess', 'sid', 'sessionid', 'remember', 'aspxauth', 'logged'])

export const isSecretCookie = (name: string): boolean =>
  COOKIES.has(name.toLowerCase()) || isSecretName(name) || wordsOf(name).some((word) => COOKIE_WORDS.has(word))
