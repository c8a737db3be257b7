import { scrubBearer, scrubJwt, scrubPem, scrubUrlAuth } from './credentials'
import type { FieldKind } from './field-name'
import { scrubLiterals } from './literals'
import { scrubParameters } from './parameters'
import { scrubCards, scrubEmails, scrubIbans, scrubSsn, scrubUserPath } from './personal-data'
import { type Removes, type RuleName, removesAll, type ScrubText } from './rules'
import { scrubStated } from './stated-secrets'
import { scrubVendorKeys } from './vendor-keys'

/** Rules for any text. A rule that removes more goes before one that would remove a part of it. */
const TEXT_RULES: readonly (readonly [RuleName, ScrubText])[] = [
  ['pem', scrubPem],
  ['url_auth', scrubUrlAuth],
  ['parameter', (text, removes) => scrubStated(scrubParameters(text, removes), removes)],
  ['bearer', scrubBearer],
  ['jwt', scrubJwt],
  ['vendor_key', scrubVendorKeys],
  ['iban', scrubIbans],
  ['card', scrubCards],
  ['ssn', scrubSsn],
  ['email', scrubEmails],
  ['user_path', scrubUserPath],
]

/** Every secret that a pattern finds is at least this long: `a@b.de`. */
const SHORTEST = 6

/** Applies all rules to one text; `onFound` is called for each rule that removed something. */
export function scrubText(
  text: string,
  kind: FieldKind,
  onFound: (rule: RuleName) => void,
  removes: Removes = removesAll,
): string {
  if (text.length < SHORTEST) return text
  let out = text
  for (const [name, scrub] of TEXT_RULES) {
    // As a route, `/home/garden` is a page of a shop.
    if (name === 'user_path' && kind === 'route' && out.startsWith('/')) continue
    const scrubbed = name === 'parameter' && kind === 'source' ? scrubLiterals(out, removes) : scrub(out, removes)
    if (scrubbed !== out) onFound(name)
    out = scrubbed
  }
  return out
}
