import { scrubBearer, scrubJwt, scrubPem, scrubUrlAuth } from './credentials'
import { scrubBase64, scrubPercentEncoded } from './encoded-text'
import type { FieldKind } from './field-name'
import { scrubLiterals } from './literals'
import { scrubParameters } from './parameters'
import { scrubCards, scrubEmails, scrubIbans, scrubSsn, scrubUserPath } from './personal-data'
import { type Removes, type RuleName, removesAll, type ScrubText } from './rules'
import { scrubInserts } from './sql-insert'
import { scrubStated } from './stated-secrets'
import { scrubVendorKeys } from './vendor-keys'

type TextRule = readonly [RuleName, ScrubText]

/** Rules for credentials. A rule that removes more goes before one that would remove a part of it. */
const CREDENTIAL_RULES: readonly TextRule[] = [
  ['pem', scrubPem],
  ['url_auth', scrubUrlAuth],
  ['parameter', (text, removes) => scrubStated(scrubParameters(scrubInserts(text, removes), removes), removes)],
  ['bearer', scrubBearer],
  ['jwt', scrubJwt],
  ['vendor_key', scrubVendorKeys],
]
const TEXT_RULES: readonly TextRule[] = [
  ...CREDENTIAL_RULES,
  ['iban', scrubIbans],
  ['card', scrubCards],
  ['ssn', scrubSsn],
  ['email', scrubEmails],
  ['user_path', scrubUserPath],
]

/** Every secret that a pattern finds is at least this long: `a@b.de`. */
const SHORTEST = 6

/** Applies all rules to one text and to what it contains percent-encoded or in base64. `onFound` is called for each rule that removed something. */
export function scrubText(
  text: string,
  kind: FieldKind,
  onFound: (rule: RuleName) => void,
  removes: Removes = removesAll,
): string {
  if (text.length < SHORTEST) return text
  const apply = (rules: readonly TextRule[]) => (within: string) => applied(rules, within, kind, onFound, removes)
  const out = apply(TEXT_RULES)(text)
  if (kind === 'source') return out
  const withoutBase64 = (within: string) => scrubBase64(within, apply(CREDENTIAL_RULES))
  return withoutBase64(scrubPercentEncoded(out, (decoded) => withoutBase64(apply(TEXT_RULES)(decoded))))
}

function applied(
  rules: readonly TextRule[],
  text: string,
  kind: FieldKind,
  onFound: (rule: RuleName) => void,
  removes: Removes,
): string {
  let out = text
  for (const [name, scrub] of rules) {
    // As a route, `/home/garden` is a page of a shop.
    if (name === 'user_path' && kind === 'route' && out.startsWith('/')) continue
    const scrubbed = name === 'parameter' && kind === 'source' ? scrubLiterals(out, removes) : scrub(out, removes)
    if (scrubbed !== out) onFound(name)
    out = scrubbed
  }
  return out
}
