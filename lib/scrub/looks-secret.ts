import { decodeBase64 } from '../protocol/text-bytes'
import { type Candidate, isNoSecretValue } from './rules'
import { wordsOf } from './secret-names'
import {
  isOrdinary,
  isPlaceholder,
  looksChosen,
  looksLikeIdentifier,
  looksLikePhrase,
  looksRandom,
} from './value-shapes'

/**
 * Whether a value that scrubbing would remove is a secret beyond doubt: the threshold of the privacy rule. Scrubbing removes a value
 * because of its name alone. This also judges the value: its format, check digit, length and entropy.
 */
export function looksSecret(candidate: Candidate): boolean {
  const { rule, value } = candidate
  switch (rule) {
    case 'pem':
      return isPrivateBlock(value)
    case 'jwt':
      return isSignedToken(value)
    case 'url_auth':
      return isUrlPassword(candidate)
    case 'bearer':
      return isCredential(value)
    case 'vendor_key':
      return !isPlaceholder(value)
    case 'card':
      return isIssuedCard(candidate)
    case 'ssn':
      return isIssuedSsn(candidate)
    case 'email':
      return isPersonsAddress(candidate)
    case 'ip':
      return !PRIVATE_ADDRESS.test(value)
    case 'key':
    case 'cookie':
    case 'parameter':
      return isNamedSecret(candidate)
    case 'iban':
    case 'user_path':
      return true
  }
}

/** A public key is no secret, and a header without a key only names the format. */
const isPrivateBlock = (block: string): boolean =>
  block.includes('PRIVATE') && /[A-Za-z0-9+/=]{20}/.test(block.replaceAll(/-----[A-Z0-9 ]+-----/g, ' '))

/** RFC 7515 §4.1.1: the header names its algorithm. */
function isSignedToken(token: string): boolean {
  const [header = '', claims = ''] = token.split('.')
  return claims.length >= 8 && /"(?:alg|enc)"/.test(decodeBase64(header))
}

/** Not `user:password@`, and not the default of a local server, `guest:guest@`. */
function isUrlPassword({ name, value }: Candidate): boolean {
  const password = decoded(value)
  return password.length >= 4 && password !== decoded(name) && !isPlaceholder(password)
}

/** The text after `Bearer` or `Basic`. */
function isCredential(value: string): boolean {
  if (isPlaceholder(value)) return false
  const password = passwordIn(value)
  return password === null ? looksRandom(value) || (value.length >= 10 && looksChosen(value)) : isStrong(password)
}

/** The password in base64 of `user:password` (RFC 7617 §2). */
function passwordIn(base64: string): string | null {
  if (!/^[\w+/-]{6,}={0,2}$/.test(base64)) return null
  const text = decodeBase64(base64)
  return /^[\x20-\x7e]{3,}$/.test(text) && text.includes(':') ? text.slice(text.indexOf(':') + 1) : null
}

const isStrong = (value: string): boolean => !isPlaceholder(value) && (looksChosen(value) || looksRandom(value))

/** Names of numbers that are no card: `order_id=…`, `"ts":…`, `order #…`. */
const BEFORE_OTHER_NUMBER =
  /(?:(?:^|[^a-z]|u|user|order|request)(?:ids?|ts|time|timestamp|nonce|seq|sequence|offset|trace|span|bytes|size|duration|cursor|version|build|rev|revision|hash)["']?[ ]?[:=#]|(?:^|[^a-z])(?:id|order|invoice|ticket|tracking|parcel|shipment|snowflake|job|batch)["']?[ ]?[:=#]?)[ ]?["'#]?$/i
/** Names of numbers in the form of a social security number. */
const BEFORE_OTHER_SSN =
  /(?:phone|tel|fax|mobile|cell|part|sku|serial|model|case|order|ref|invoice|ticket|id)(?: ?(?:no|number|nr)\.?)?["']?[ ]?[:=#]?[ ]?["'#]?$/i

function isIssuedCard({ value, text, at }: Candidate): boolean {
  const before = text.slice(Math.max(0, at - 24), at)
  return !/^(\d)\1+$/.test(value) && !BEFORE_OTHER_NUMBER.test(before)
}

/** Numbers that the Social Security Administration never issued, and two that advertisements used. */
const isIssuedSsn = ({ value, text, at }: Candidate): boolean =>
  !/^(?:666|9\d\d)-/.test(value) &&
  !['078-05-1120', '219-09-9999', '123-45-6789'].includes(value) &&
  !BEFORE_OTHER_SSN.test(text.slice(Math.max(0, at - 24), at))

/** Mailboxes of a role (RFC 2142) and names in examples belong to no person; neither do hosts of a private network. */
const NO_PERSON =
  /^(?:no-?reply|do-?not-?reply|postmaster|mailer-daemon|hostmaster|webmaster|abuse|root|support|info|security|admin|sales|hello|contact|team|help|billing|ops|ci|bot|user|username|name|you|your\.?name|someone|email|foo|me)(?:@|%40)/i
const PRIVATE_HOST = /\.(?:internal|local|localdomain|lan|svc|cluster|invalid|arpa)$/i

/** Not the password and the host in `https://user:password@host`. */
const isPersonsAddress = ({ value, text, at }: Candidate): boolean =>
  !NO_PERSON.test(value) && !PRIVATE_HOST.test(value) && !/\/\/[^\s/@]*$/.test(text.slice(Math.max(0, at - 100), at))

/** RFC 1918, link-local addresses, and the local ones of IPv6, if the text has no other address. */
const PRIVATE_ADDRESS =
  /^\s*(?:(?:::ffff:)?(?:10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}|f[cde][0-9a-f]{2}:[0-9a-f:]*|::1)(?::\d{1,5})?\s*$/i

/** Last words of names about a secret: `password_policy`, `token_type`, `secretKeyRef`, `auth_method`. */
const ABOUT = new Set(
  (
    'policy hint type method name names id ids field fields length min max ttl expiry expires expiration expired lifetime url uri ' +
    'endpoint file path folder dir count counter limit limits usage used strength score changed at version status state enabled ' +
    'disabled required backend provider store scan bucket alg algorithm algs supported format prefix label title age date created ' +
    'updated rotation manager service group groups scope scopes mode level header param validator validators encoder hasher class ' +
    'error errors message messages reason page link form input autocomplete iterations set spec ref arn in on index remaining ' +
    'arity budget kind role rule rules source target total window size env var variable placeholder description ' +
    'domain host issuer audience realm tenant region user username client app application project database account email subject by ' +
    'flow step stage screen view route controller component module plugin package strategy handler callback time'
  ).split(' '),
)
/** First words of such names: `is_token_valid`, `max_tokens`. */
const ABOUT_FIRST = new Set(
  'is has max min num total prompt completion show hide use requires need supports allow input output cached page next continuation cursor cancel'.split(
    ' ',
  ),
)
/** The secret half of an AppRole of HashiCorp Vault. */
const ID_THAT_IS_SECRET = /^secret_?id$/i
const PASSWORD = /pass(?:w|phrase|code)|pwd$|(?:^|[^a-z])pass$|[a-z]Pass$/i
const CODE = /(?:^|[^a-z])(?:t?otp|mfa|2fa|cv[cv]|pin)(?:[^a-z]|$)|security_?code|passcode|otpcode/i

function isNamedSecret(candidate: Candidate): boolean {
  const { name, between, text, at } = candidate
  const last = name.slice(-64)
  if (isAbout(last) || isPartOfArn(text, at)) return false
  if (/^digest /i.test(text.slice(at, at + 8))) return /response="?[0-9a-f]{32}/i.test(text.slice(at, at + 1000))
  const value = decoded(unquoted(candidate.value.trim()))
  if (isPlaceholder(value)) return false
  if (value.startsWith('[') && value.endsWith(']')) return elementsOf(value).some((one) => isValue(last, one, true))
  const { scheme, rest } = withoutScheme(value)
  if (scheme) return isCredential(rest)
  // `"name":"value"`, `name=value` and `--name value`; after `name: ` follows prose more often than a secret.
  return isValue(last, value, !/^:=?[ \t]+$/.test(between))
}

function isAbout(name: string): boolean {
  const words = wordsOf(name)
  if (ID_THAT_IS_SECRET.test(name)) return false
  return words.length > 1 && (ABOUT.has(words.at(-1) ?? '') || ABOUT_FIRST.has(words[0] ?? ''))
}

/** `arn:aws:secretsmanager:…:secret:name` names a secret and does not contain it. */
const isPartOfArn = (text: string, at: number): boolean =>
  /arn:[\w-]+:[\w:./-]*$/.test(text.slice(Math.max(0, at - 200), at))

function isValue(name: string, value: string, isTight: boolean): boolean {
  if (isNoSecretValue(value)) return false
  if (/^\d+$/.test(value)) return isNumber(name, value)
  if (isPlaceholder(value)) return false
  const isPassword = PASSWORD.test(name)
  if (/\s/.test(value)) return isPassword && isTight && looksLikePhrase(value)
  if (looksRandom(value)) return true
  if (!isPassword && looksLikeIdentifier(value)) return false
  const password = passwordIn(value)
  if (password !== null) return isStrong(password)
  if (!isTight) return looksChosen(value) && (isPassword || hasDigitsAndLetters(value))
  if (isPassword) return looksChosen(value) || isUncommonWord(value)
  return value.length >= 8 && (looksChosen(value) || isLongChosen(name, value))
}

const isNumber = (name: string, value: string): boolean =>
  CODE.test(name)
    ? value.length >= 3 && value.length <= 10
    : PASSWORD.test(name)
      ? value.length >= 4
      : value.length >= 20

const hasDigitsAndLetters = (value: string): boolean => value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value)

/** `password=letmein`. A short word, or one of prose, may be anything. */
const isUncommonWord = (value: string): boolean => /^[\p{L}\p{N}_.-]{6,64}$/u.test(value) && !isOrdinary(value)

/** `JWT_SECRET=three-hazelnuts-for-Ada`: longer than an identifier. */
const isLongChosen = (name: string, value: string): boolean =>
  /secret|key/i.test(name) && value.length >= 20 && /^[\p{L}\p{N}-]+$/u.test(value) && value.includes('-')

const SCHEME = /^(?:bearer|basic|token|apikey|negotiate)\s+/i
const withoutScheme = (value: string): { readonly scheme: boolean; readonly rest: string } => {
  const rest = value.replace(SCHEME, '')
  return { scheme: rest !== value, rest }
}

const unquoted = (value: string): string => value.replace(/^\\{0,3}["'`]/, '').replace(/\\{0,3}["'`]$/, '')

const MOST_ELEMENTS = 100
const elementsOf = (list: string): readonly string[] =>
  list
    .slice(1, -1)
    .split(',', MOST_ELEMENTS)
    .map((one) => unquoted(one.trim()))

function decoded(value: string): string {
  if (!value.includes('%')) return value
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
