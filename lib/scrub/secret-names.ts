/** Words of a name that say secret, each as a whole: `author` is not `auth`, and `secretary` keeps none. */
const WORDS = new Set(
  (
    'pwd secret secrets token tokens auth authorization authentication otp totp mfa 2fa credential credentials creds ' +
    'cvv cvc ssn csrf xsrf jwt bearer apikey privatekey sessionid phpsessid jsessionid twofactor'
  ).split(' '),
)

/** These say it inside a longer word, too: nothing harmless is spelled with them. */
const STEMS =
  /passw(?:or)?d|passphrase|passcode|api_?key|private_?key|secret_?key|encryption_?key|signing_?key|ssh_?key|access_?key|access_?token|auth_?token|refresh_?token|session_?token|client_?secret|credential|credit_?card|card_?number|[a-z]tokens?$|[a-z]secrets?$|[a-z]pwds?$|(?:^|[a-z])(?:otp|mfa)code$|(?:db|user|login|admin|root|mail|smtp|ftp|ssh|mysql|pg|redis|proxy)pass$/

/** Two words that say it together; `key` alone is any key. */
const PAIRS = new Set(
  (
    'api key,private key,secret key,access key,signing key,encryption key,ssh key,master key,account key,shared key,' +
    'session key,two factor,credit card,card number,security code,pin code,pass word,pass phrase,pass code,pass wd,connect sid'
  ).split(','),
)

/** Which of its keys an assembly of .NET is signed with. */
const NO_SECRET = /public_?key_?token$/i

/** Words of a longer name beyond its end are not read: who hides a name sends it to himself. */
const LONGEST_NAME = 256

/**
 * Does this name, of a field, header, parameter or variable, say that its value is a secret? Compared are whole words,
 * as hyphens, dots, underscores and capitals cut them: `X-Api-Key`, `apiKey`, `API_KEY` and `user.api_key` are one.
 */
export function isSecretName(name: string): boolean {
  if (NO_SECRET.test(name)) return false
  const words = wordsOf(name)
  // `DB_PASS` is one, and `pass` what a test does.
  if (words.length > 1 && words.at(-1) === 'pass') return true
  return words.some(
    (word, index) =>
      WORDS.has(word) ||
      WORDS.has(one(word)) ||
      STEMS.test(word) ||
      PAIRS.has(`${word} ${one(words[index + 1] ?? '')}`),
  )
}

/** `keys` are more than one `key`, and `key2` is the second. */
const one = (word: string): string => word.replace(/\d{1,8}$/, '').replace(/s$/, '')

/** The words of a name in small letters. */
function wordsOf(name: string): readonly string[] {
  return name
    .slice(-LONGEST_NAME)
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
}

/** Cookies that a login or a form is known by, as frameworks call them. */
const COOKIES = new Set(
  (
    'sentrysid sudo su session __session sessionid user_session symfony phpsessid fasthttpsessionid mysession ' +
    'irissessionid csrf csrftoken xsrf _xsrf _csrf csrf-token csrf_token xsrf-token xsrf_token fastcsrf _iris_csrf sid'
  ).split(' '),
)
const COOKIE_WORDS = new Set(['session', 'sess', 'sid', 'sessionid', 'remember', 'aspxauth', 'logged'])

/** Does a cookie of this name hold a secret? */
export const isSecretCookie = (name: string): boolean =>
  COOKIES.has(name.toLowerCase()) || isSecretName(name) || wordsOf(name).some((word) => COOKIE_WORDS.has(word))
