/** Words that make a name secret, as whole words: `author` is not `auth`, and `secretary` is no secret. */
const WORDS = new Set(
  (
    'pwd secret secrets token tokens auth authorization authentication otp totp mfa 2fa credential credentials creds ' +
    'cvv cvc ssn csrf xsrf jwt bearer apikey privatekey sessionid phpsessid jsessionid twofactor ' +
    'passwort kennwort senha contraseña contrasena wachtwoord lösenord lozenord hasło haslo heslo jelszó salasana adgangskode ' +
    'passord şifre sifre parola пароль 密码 密碼 パスワード 비밀번호 motdepasse mdp'
  ).split(' '),
)

/** Stems that make a name secret inside a longer word too: no harmless word contains them. */
const STEMS =
  /passw(?:or)?d|passphrase|passcode|api_?key|private_?key|secret_?key|encryption_?key|signing_?key|ssh_?key|access_?key|access_?token|auth_?token|refresh_?token|session_?token|client_?secret|credential|credit_?card|card_?number|[a-z]tokens?$|[a-z]secrets?$|[a-z]pwds?$|(?:^|[a-z])(?:otp|mfa)code$|(?:db|user|login|admin|root|mail|smtp|ftp|ssh|mysql|pg|redis|proxy)pass$/

/** Pairs of words; `key` alone can be any key. */
const PAIRS = new Set(
  (
    'api key,private key,secret key,access key,signing key,encryption key,ssh key,master key,account key,shared key,' +
    'session key,two factor,credit card,card number,security code,pin code,pass word,pass phrase,pass code,pass wd,connect sid,' +
    'subscription key,functions key,connection string,webhook url,webhook uri,de passe,palabra clave'
  ).split(','),
)

/** The public key that signs a .NET assembly, and properties of tokens. */
const NO_SECRET = /public_?key_?token$|token_?(?:type|count|limit|usage|budget)s?$/i

/** Secret as the name of a field, or of a part of a form. In prose they mean other things: `pass: 14`, `pin 7`, `mnemonic: mov`. */
const FIELD_WORDS = new Set('pass pw pin mnemonic ccnum rootpw privkey clave geheimnis'.split(' '))
const LAST_WORD_ONLY = new Set(['pass', 'pin', 'clave'])
const FIELD_WORDS_TOGETHER = new RegExp(
  `(?:^| )(?:${[
    '(?:app|application|consumer|license|licence|deploy|storage|host|function|role|hmac|aes|cipher|crypto|webhook|server|service) keys?',
    '(?:seed|recovery|backup|secret|mnemonic) (?:phrases?|words?)|wallet seed',
    '(?:recovery|backup|verification|auth|authorization|sms|login|confirmation) codes?',
    'one time (?:code|password|pass|pin)',
    '(?:code|oauth) verifier|client assertion|saml ?response|saml assertion',
    '(?:hub|slack|stripe|access|webhook|amz) signature',
    'account json|azure web jobs storage|cc (?:num|number)|card (?:cvc|cvv)|social security number|license key',
  ].join('|')})(?: |$)`,
)

/** Names of fields mean more than names in texts, where prose goes before a colon too. */
export function isSecretField(name: string): boolean {
  if (isSecretName(name)) return true
  const words = wordsOf(name)
  return (
    words.some((word, index) => FIELD_WORDS.has(word) && (index === words.length - 1 || !LAST_WORD_ONLY.has(word))) ||
    FIELD_WORDS_TOGETHER.test(words.join(' ').replace(/\d{1,8}$/, ''))
  )
}

const COUNTED = /tokens$/i
const COUNT = /^\d{1,9}$/

/** `max_tokens: 0`, `total_tokens=12`: language models count tokens. */
export const isCountOfTokens = (name: string, value: string): boolean => COUNT.test(value) && COUNTED.test(name)

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
    .split(/[^\p{L}\p{N}]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
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
  COOKIES.has(name.toLowerCase()) ||
  /^\.aspnet/i.test(name) ||
  isSecretName(name) ||
  wordsOf(name).some((word) => COOKIE_WORDS.has(word))
