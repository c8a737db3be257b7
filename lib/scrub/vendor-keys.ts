import { BEHIND_ENCODED, FILTERED } from './rule'

/**
 * Forms by which those who give out a key let it be found: what stands in front, and how long it is at least. Stripe's
 * (`pk_…` is for everybody to see), GitHub's, Slack's, AWS' ids of a key, Google's, GitLab's, npm's and Sentry's.
 */
const FORMS = [
  '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}',
  'gh[opsur]_[A-Za-z0-9]{30,}',
  'github_pat_[A-Za-z0-9_]{22,}',
  'xox[abeoprs]-[A-Za-z0-9-]{10,}',
  'A(?:KI|SI)A[A-Z0-9]{16}(?![A-Za-z0-9])',
  'AIza[\\w-]{35}(?![\\w-])',
  'glpat-[\\w-]{20,}',
  'npm_[A-Za-z0-9]{36}(?![\\w-])',
  'sntry[su]_[\\w+/=-]{30,}',
].join('|')
const KEY = new RegExp(`(?:(?<![\\w-])|${BEHIND_ENCODED})(?:${FORMS})`, 'g')
const HAS_PREFIX = /[sr]k_(?:live|test)_|gh[opsur]_|github_pat_|xox[abeoprs]-|A(?:KI|SI)A|AIza|glpat-|npm_|sntry[su]_/

/** In the place of a user, without a password; a DSN has its key there, which is no secret. */
const USER_OF_URL = /(?<=:\/\/)(?![0-9a-f]{32}@)(?=[^\s/@]{0,256}\d)(?=[^\s/@]{0,256}[A-Za-z])[\w.~+-]{20,256}(?=@)/g

export function scrubVendorKeys(text: string): string {
  const out = HAS_PREFIX.test(text) ? text.replace(KEY, FILTERED) : text
  return out.includes('://') && out.includes('@') ? out.replace(USER_OF_URL, FILTERED) : out
}
