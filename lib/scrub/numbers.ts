import { BEHIND_ENCODED, FILTERED } from './rule'

/**
 * Thirteen to nineteen digits, alone or with a space or hyphen between them, as ISO/IEC 7812 allows; numbers of cards
 * begin with 2 to 6. Not the end of a decimal, nor of a UUID that has digits alone.
 */
const BEFORE_CARD = `(?:(?<![\\w.]|[0-9a-f]{4}-)|${BEHIND_ENCODED})`
const CARD = new RegExp(`${BEFORE_CARD}[2-6](?:[ -]?\\d){12,18}(?![ -]?\\d|\\w)`, 'g')
/** With other numbers behind: only in one, or in groups as cards show them; a check digit alone fits every tenth number. */
const CARD_AND_MORE = new RegExp(
  `${BEFORE_CARD}(?:[2-6]\\d{12,18}|[2-6]\\d{3}([ -])\\d{4}\\1\\d{4}\\1\\d{4}|3\\d{3}([ -])\\d{6}\\2\\d{4,5})(?= \\d)`,
  'g',
)

export function scrubCards(text: string): string {
  if (text.length < 13) return text
  const out = text.replace(CARD, (found: string) => (hasLuhnDigit(found) ? FILTERED : found))
  return out.length < 13 ? out : scrubCardsBefore(out)
}

/** What is no card may begin a group before one: each group is tried. */
function scrubCardsBefore(text: string): string {
  let out = ''
  let kept = 0
  CARD_AND_MORE.lastIndex = 0
  for (let found = CARD_AND_MORE.exec(text); found !== null; found = CARD_AND_MORE.exec(text)) {
    const { 0: card, index } = found
    const isCard = hasLuhnDigit(card)
    if (isCard) {
      out += text.slice(kept, index) + FILTERED
      kept = index + card.length
    }
    CARD_AND_MORE.lastIndex = isCard ? kept : index + 1
  }
  return out + text.slice(kept)
}

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

/** No group is ever all zeros. */
const SSN = /(?<![\w-])(?!000)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g

export const scrubSsn = (text: string): string =>
  text.length >= 11 && text.includes('-') ? text.replace(SSN, FILTERED) : text

/** How long the numbers of a country are: the IBAN registry of ISO 13616. */
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

/** As written: in one, or in groups with a space or hyphen between them. */
export function scrubIbans(text: string): string {
  if (text.length < 15) return text
  let out = ''
  let kept = 0
  IBAN_BEGIN.lastIndex = 0
  for (let begin = IBAN_BEGIN.exec(text); begin !== null; begin = IBAN_BEGIN.exec(text)) {
    const end = endOfIban(text, begin.index)
    if (end === null) continue
    out += text.slice(kept, begin.index) + FILTERED
    kept = end
    IBAN_BEGIN.lastIndex = end
  }
  return out + text.slice(kept)
}

/** @returns where the number that begins here ends; `null` where it is none. */
function endOfIban(text: string, start: number): number | null {
  const wanted = IBAN_LENGTHS[text.slice(start, start + 2)] ?? 0
  let signs = ''
  let at = start
  while (signs.length < wanted) {
    const sign = text[at] ?? ''
    if (/[A-Z0-9]/.test(sign)) signs += sign
    else if ((sign !== ' ' && sign !== '-') || !/[A-Z0-9]/.test(text[at - 1] ?? '')) return null
    at += 1
  }
  return wanted > 0 && !/[A-Za-z0-9]/.test(text[at] ?? '') && isDividedByMod97(signs) ? at : null
}

/** ISO 7064, MOD 97-10: country and check digits go to the end, letters count from 10. */
function isDividedByMod97(iban: string): boolean {
  let rest = 0
  for (const sign of iban.slice(4) + iban.slice(0, 4)) rest = Number(`${rest}${Number.parseInt(sign, 36)}`) % 97
  return rest === 1
}
