import { scrubBearer, scrubJwt, scrubPem, scrubUrlAuth } from './credentials'
import type { FieldKind } from './field-kind'
import { scrubLiterals } from './literals'
import { scrubCards, scrubIbans, scrubSsn } from './numbers'
import { scrubParameters } from './parameters'
import { scrubEmails, scrubUserPath } from './people'
import type { RuleName, ScrubText } from './rule'
import { scrubVendorKeys } from './vendor-keys'

/** Rules for any text, in order: what is removed whole goes before what would take a part of it. */
const TEXT_RULES: readonly (readonly [RuleName, ScrubText])[] = [
  ['pem', scrubPem],
  ['url_auth', scrubUrlAuth],
  ['parameter', scrubParameters],
  ['bearer', scrubBearer],
  ['jwt', scrubJwt],
  ['vendor_key', scrubVendorKeys],
  ['iban', scrubIbans],
  ['card', scrubCards],
  ['ssn', scrubSsn],
  ['email', scrubEmails],
  ['user_path', scrubUserPath],
]

/** Shorter than every secret that a pattern knows: `a@b.de`. */
const SHORTEST = 6

/**
 * All rules for any text.
 * @param kind of the field that it stands in.
 * @param onFound is told each rule that took something.
 */
export function scrubText(text: string, kind: FieldKind, onFound: (rule: RuleName) => void): string {
  if (text.length < SHORTEST) return text
  let out = text
  for (const [name, scrub] of TEXT_RULES) {
    // `/home/garden` is a page of a shop.
    if (name === 'user_path' && kind === 'route' && out.startsWith('/')) continue
    const scrubbed = name === 'parameter' && kind === 'source' ? scrubLiterals(out) : scrub(out)
    if (scrubbed !== out) onFound(name)
    out = scrubbed
  }
  return out
}
