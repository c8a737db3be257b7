import { AFTER_ENCODED, FILTERED, FILTERED_IP, type Removes, unnamed } from './rules'

/** 13 to 19 digits with single spaces or hyphens (ISO/IEC 7812). Not the end of a decimal or UUID. */
const BEFORE_CARD = `(?:(?<![\\w.]|[0-9a-f]{4}-)|${AFTER_ENCODED})`
const CARD = new RegExp(`${BEFORE_CARD}[2-6](?:[ -]?\\d){12,18}(?![ -]?\\d|\\w)`, 'g')
/** More numbers follow: only unbroken or grouped as on cards, as every tenth number has a valid check digit. */
const CARD_AND_MORE = new RegExp(
  `${BEFORE_CARD}(?:[2-6]\\d{12,18}|[2-6]\\d{3}([ -])\\d{4}\\1\\d{4}\\1\\d{4}|3\\d{3}([ -])\\d{6}\\2\\d{4,5})(?= \\d)`,
  'g',
)

export function scrubCards(text: string, removes: Removes): string {
  if (text.length < 13) return text
  const out = text.replace(CARD, (found: string, at: number) =>
    isCard(found) && removes(unnamed('card', found, text, at)) ? FILTERED : found,
  )
  return out.length < 13 ? out : scrubCardsBefore(out, removes)
}

/** A number that is no card may precede one, so each group is tried. */
function scrubCardsBefore(text: string, removes: Removes): string {
  let out = ''
  let kept = 0
  CARD_AND_MORE.lastIndex = 0
  for (let found = CARD_AND_MORE.exec(text); found !== null; found = CARD_AND_MORE.exec(text)) {
    const { 0: card, index } = found
    const isRemoved = isCard(card) && removes(unnamed('card', card, text, index))
    if (isRemoved) {
      out += text.slice(kept, index) + FILTERED
      kept = index + card.length
    }
    CARD_AND_MORE.lastIndex = isRemoved ? kept : index + 1
  }
  return out + text.slice(kept)
}

/**
 * Length and first digits by card network (ISO/IEC 7812-1): Visa, Mastercard, American Express, Discover, JCB, Diners Club, UnionPay
 * and Maestro. One random number in ten has a valid check digit, so the check digit alone is not enough.
 */
const ISSUED =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[689]\d)\d{11}|62\d{14,17}|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15})$/

const isCard = (found: string): boolean => ISSUED.test(found.replaceAll(/[ -]/g, '')) && hasLuhnDigit(found)

/** ISO/IEC 7812-1, annex B. */
function hasLuhnDigit(card: string): boolean {
  const digits = card.replaceAll(/[ -]/g, '')
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index])
    const weighed = index % 2 === 1 ? digit * 2 : digit
    sum += weighed > 9 ? weighed - 9 : weighed
  }
  return sum % 10 === 0
}

/** No group is all zeros. */
const SSN = /(?<![\w-])(?!000)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g

export const scrubSsn = (text: string, removes: Removes): string =>
  text.length >= 11 && text.includes('-')
    ? text.replace(SSN, (found: string, at: number) => (removes(unnamed('ssn', found, text, at)) ? FILTERED : found))
    : text

/** The length per country: the IBAN registry of ISO 13616. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 ' +
    'FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 ' +
    'LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ' +
    'ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20'
  )
    .split(' ')
    .map((one) => [one.slice(0, 2), Number(one.slice(2))]),
)
const IBAN_BEGIN = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}/g

export function scrubIbans(text: string, removes: Removes): string {
  if (text.length < 15) return text
  let out = ''
  let kept = 0
  IBAN_BEGIN.lastIndex = 0
  for (let begin = IBAN_BEGIN.exec(text); begin !== null; begin = IBAN_BEGIN.exec(text)) {
    const end = endOfIban(text, begin.index)
    if (end === null || !removes(unnamed('iban', text.slice(begin.index, end), text, begin.index))) continue
    out += text.slice(kept, begin.index) + FILTERED
    kept = end
    IBAN_BEGIN.lastIndex = end
  }
  return out + text.slice(kept)
}

function endOfIban(text: string, start: number): number | null {
  const length = IBAN_LENGTHS[text.slice(start, start + 2)] ?? 0
  let signs = ''
  let at = start
  while (signs.length < length) {
    const sign = text[at] ?? ''
    if (/[A-Z0-9]/.test(sign)) signs += sign
    else if ((sign !== ' ' && sign !== '-') || !/[A-Z0-9]/.test(text[at - 1] ?? '')) return null
    at += 1
  }
  return length > 0 && !/[A-Za-z0-9]/.test(text[at] ?? '') && isDividedByMod97(signs) ? at : null
}

/** ISO 7064, MOD 97-10: country and check digits move to the end; letters count from 10. */
function isDividedByMod97(iban: string): boolean {
  let rest = 0
  for (const sign of iban.slice(4) + iban.slice(0, 4)) rest = Number(`${rest}${Number.parseInt(sign, 36)}`) % 97
  return rest === 1
}

const AT_SIGN = /@|%40/g
/** RFC 5321 §4.5.3.1: the longest local part and domain. */
const LONGEST_LOCAL = 64
const LONGEST_DOMAIN = 253
const OF_LOCAL = /[\w.%+~\u0080-\uffff-]/
const DOMAIN = /^[\w.\u0080-\uffff-]*/
const TOP_LEVEL = /^(?:[A-Za-z]{2,}|xn--[\w-]+|[\u0080-\uffff]{2,})$/
/** File extensions, which no domain has: `ada@example.org.txt` has an address, `@sentry_dev_index._.js` has none. */
const OF_FILE =
  /(?:\.(?:[cm]?[jt]sx?|map|css|s[ac]ss|less|json|html?|wasm|woff2?|ttf|otf|eot|svg|png|jpe?g|gif|webp|avif|ico|txt|xml|pdf|csv|vue|svelte|webmanifest|min|module|chunk|bundle))+$/i
/** Local parts that are no person: an npm scope in an encoded path (`node_modules%2F%40scope`), and `git`. */
const NOBODY = /^(?:|git|.*%(?:25)?2[Ff])$/
/** A version after the name of a package or an image: `next@16.4.6`, `logo@2x.png`. */
const VERSION = /^v?\d+(?:\.\d|x\.)/

/**
 * Also with `%40`. Keeps the key in `https://key@host` (two slashes precede no address), `git@host`, and npm scopes in
 * paths and names of chunks (`node_modules_%40sentry_browser_index._.js`).
 */
export function scrubEmails(text: string, removes: Removes): string {
  if (!text.includes('@') && !text.includes('%40')) return text
  let out = ''
  let kept = 0
  AT_SIGN.lastIndex = 0
  for (let sign = AT_SIGN.exec(text); sign !== null; sign = AT_SIGN.exec(text)) {
    const behind = sign.index + sign[0].length
    const start = startOfLocal(text, sign.index, kept)
    const local = text.slice(start, sign.index)
    const domain = domainAt(text, behind)
    if (NOBODY.test(local) || domain === null || text.slice(Math.max(0, start - 2), start) === '//') continue
    const end = behind + domain.length
    AT_SIGN.lastIndex = end
    if (!removes(unnamed('email', text.slice(start, end), text, start))) continue
    out += text.slice(kept, start) + FILTERED
    kept = end
  }
  return out + text.slice(kept)
}

function startOfLocal(text: string, sign: number, from: number): number {
  let start = sign
  while (start > from && sign - start < LONGEST_LOCAL && OF_LOCAL.test(text[start - 1] ?? '')) start -= 1
  return start
}

function domainAt(text: string, at: number): string | null {
  const found = DOMAIN.exec(text.slice(at, at + LONGEST_DOMAIN))?.[0] ?? ''
  const domain = found.replace(/[.-]{1,8}$/, '')
  return isOrBeginsWithDomain(domain) && !VERSION.test(domain) ? domain : null
}

/** A file name may begin with a domain, followed by a dot or an underscore; other texts must be a domain as a whole. */
function isOrBeginsWithDomain(text: string): boolean {
  const stem = text.replace(OF_FILE, '')
  const isFile = stem !== text
  const labels = (isFile ? stem.replace(/_.*$/, '') : text).split('.')
  if (labels.includes('')) return false
  return isFile
    ? labels.slice(1).some((label) => TOP_LEVEL.test(label))
    : labels.length > 1 && TOP_LEVEL.test(labels.at(-1) ?? '')
}

const LOOPBACK =
  /(?<![\w.:])(?:(?:::ffff:)?127(?:\.\d{1,3}){3}(?![\w.])|(?:::1|::ffff:7f00:1|(?:0{1,4}:){7}0{0,3}1)(?![\w.:]))/gi
const IPV4 = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/
const IPV6 = /(?<![\w:])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:])/i

/** Loopback addresses stay, also with a port, and so does `{{auto}}`, by which Sentry uses the request's address. */
export function scrubAddress(text: string, removes: Removes): string {
  const others = text.replace(LOOPBACK, ' ')
  return (IPV4.test(others) || IPV6.test(others)) && removes(unnamed('ip', text, text, 0)) ? FILTERED_IP : text
}

/** A user's folder on Linux and macOS. `/home/…` after a host or a method is a route, not a folder. */
const UNIX_USER =
  /(?<![\w.~%-]|:\/|(?:GET|PUT|POST|HEAD|PATCH|DELETE|OPTIONS) )\/(home|Users)\/(?!\[Filtered\])([^\s/\\:"'<>|?*)]+)/g
/** A user's folder on Windows. A name contains blanks only where another folder follows. */
const WINDOWS_USER =
  /(?<![A-Za-z])([A-Za-z]:[\\/]{1,2}(?:users|documents and settings)[\\/]{1,2})(?!\[Filtered\])([^\\/:*?"<>|\s]+(?: [^\\/:*?"<>|\s]+){0,4}(?=[\\/])|[^\\/:*?"<>|\s]+)/gi

export function scrubUserPath(text: string, removes: Removes): string {
  if (!/\/home\/|[\\/]users[\\/]|and settings/i.test(text) || !removes(unnamed('user_path', text, text, 0))) return text
  return text.replace(UNIX_USER, `/$1/${FILTERED}`).replace(WINDOWS_USER, `$1${FILTERED}`)
}
