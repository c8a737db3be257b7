import { nameHint } from '../../config/nearest'
import type { Candidate } from '../../scrub/rules'
import { removedPath } from '../../scrub/scrub-record'
import { formatValue, isRegExp, truncate } from '../text'

/** Values that are no secrets, by path, by pattern, or by both. */
export interface AllowedValue {
  /** As in a finding, where `*` stands for one name or index and `**` for any number: `breadcrumbs.*.message`. */
  readonly path?: string | undefined
  /** Matches the value, such as `/^test_/`, not the text around it. */
  readonly pattern?: RegExp | undefined
  readonly why?: string | undefined
}

const NAMES = ['path', 'pattern', 'why']

/** @throws TypeError that names the fix. */
export function checkAllowedValue(entry: AllowedValue): void {
  if (typeof entry !== 'object' || entry === null)
    throw new TypeError(`must be an entry such as { path: 'breadcrumbs.*.message' }, got ${formatValue(entry)}`)
  const stranger = Object.keys(entry).find((name) => !NAMES.includes(name))
  if (stranger !== undefined)
    throw new TypeError(`an allowed value has no field ${truncate(stranger, 40)}; ${nameHint(stranger, NAMES)}`)
  const { path, pattern, why } = entry
  if (path === undefined && pattern === undefined)
    throw new TypeError(
      'an allowed value needs a path such as breadcrumbs.*.message, a pattern such as /^test_/, or both',
    )
  if (path !== undefined && (typeof path !== 'string' || path === ''))
    throw new TypeError(`path must be a path such as breadcrumbs.*.message, got ${formatValue(path)}`)
  if (pattern === undefined && path?.split('.').every((part) => part === '*' || part === '**'))
    throw new TypeError(`path ${formatValue(path)} allows every value; name a field, or add a pattern`)
  if (pattern !== undefined && !isRegExp(pattern))
    throw new TypeError(`pattern must be a regular expression such as /^test_/, got ${formatValue(pattern)}`)
  if (pattern !== undefined && new RegExp(pattern).test(''))
    throw new TypeError(`pattern ${formatValue(pattern)} matches every value, because it matches an empty text`)
  if (why !== undefined && typeof why !== 'string') throw new TypeError(`why must be a text, got ${formatValue(why)}`)
}

/** Whether an entry of the allowlist contains a value at a path. */
export const isAllowed = (
  harmless: readonly AllowedValue[],
  path: readonly (string | number)[],
  value: string,
): boolean =>
  harmless.some(
    (entry) =>
      (entry.path === undefined || matchesPath(entry.path, path)) &&
      // A copy, because a pattern with the flag g or y keeps its position.
      (entry.pattern === undefined || new RegExp(entry.pattern).test(value)),
  )

/** Matches the path itself or as a finding shows it. A name with a dot in it has several parts. */
function matchesPath(glob: string, path: readonly (string | number)[]): boolean {
  const source = glob
    .split('.')
    .map((part) => (part === '**' ? '.*' : part === '*' ? '[^.]*' : part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')))
    .join('\\.')
  const whole = new RegExp(`^${source}$`, 's')
  return whole.test(path.join('.')) || whole.test(removedPath(path))
}

/** Prefixes that name a vendor or a format, and are public. */
const PUBLIC_PREFIX =
  /^(?:eyJ|[A-Za-z]{2,12}[-_](?:(?:live|test|pat|proj|secret|v1|api)[-_])?|A[KS]IA|AIza|SG\.|hv[sbr]\.|GOCSPX-)/

/** Enough to recognise the secret: its name, or the prefix of its vendor; never a part of the secret itself. */
export function maskedExcerpt({ rule, value, name }: Candidate): string {
  if (rule === 'vendor_key' || rule === 'jwt') return `${PUBLIC_PREFIX.exec(value)?.[0] ?? ''}***`
  if (rule === 'bearer') return 'Bearer ***'
  if (rule === 'pem') return '-----BEGIN PRIVATE KEY-----***'
  if (rule === 'url_auth') return '//***:***@'
  if (rule === 'email') return `***${/(?:@|%40).*$/.exec(value)?.[0] ?? ''}`
  return name === '' ? '***' : `${removedPath([name])}=***`
}
