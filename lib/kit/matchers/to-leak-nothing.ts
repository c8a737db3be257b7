import { plural } from '../../format'
import { linkLines, paragraphs } from '../../verdict/expectations/explain'
import { judgeLeaks, privacyRule } from '../../verdict/rules/privacy'
import { type AllowedValue, checkAllowedValue } from '../../verdict/rules/privacy-allowlist'
import type { Case } from '../../verdict/rules/rule'
import { truncate, withoutSecrets } from '../../verdict/text'
import type { Boards, ExpectationResult, Finding } from '../../verdict/verdict'
import { checkNames } from '../check-options'
import { caseOf, judgeSettled, type MatcherResult, type MatcherState, recordingOf, resultOf } from './matcher'

export interface LeakOptions {
  /** Values that are no secrets, as in `privacy: { allow }` of the configuration. */
  readonly allow?: readonly AllowedValue[]
}

export async function toLeakNothing(
  this: MatcherState,
  received: unknown,
  options: LeakOptions = {},
): Promise<MatcherResult> {
  checkNames('toLeakNothing', options, ['allow'])
  const recording = recordingOf('toLeakNothing', received)
  const harmless = allowedOf(options)
  const judge = async () => leaksNothing({ ...(await caseOf(recording)), harmless }, recording.boards)
  return resultOf(await judgeSettled(recording, 'fail', judge), this)
}

function allowedOf({ allow = [] }: LeakOptions): readonly AllowedValue[] {
  if (!Array.isArray(allow))
    throw new TypeError("toLeakNothing: allow must be a list such as [{ path: 'breadcrumbs.*.message' }]")
  for (const [index, entry] of allow.entries()) {
    try {
      checkAllowedValue(entry)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      throw new TypeError(`toLeakNothing: allow.${index}: ${error.message}`)
    }
  }
  return allow
}

const MOST_FINDINGS = 10

export function leaksNothing(given: Case, boards: Boards): ExpectationResult {
  const { title, fix: mend } = privacyRule
  const { verdict, all } = judgeLeaks(given)
  const negatedMessage = `no secrets were sent; expected some`
  if (verdict.verdict === 'incomplete') return { verdict, message: `${title}: ${verdict.why}`, negatedMessage }
  if (verdict.verdict === 'pass') return { verdict, message: '', negatedMessage }
  const { found, findings } = verdict
  const listed = findings.slice(0, MOST_FINDINGS)
  const more = found - listed.length
  const secrets = [
    ...listed.flatMap((finding) => secretLines(finding, boards)),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
  const kinds = all === found ? '' : ` of ${plural(found, 'kind')}`
  const head = `${plural(all, 'secret')}${kinds} ${all === 1 ? 'was' : 'were'} sent`
  return { verdict, message: paragraphs([[head], secrets, [mend]]), negatedMessage }
}

/** Kind and position of a secret. Labels and paths are scrubbed, because senders choose them. */
const secretLines = ({ about, at, path, actual }: Finding, boards: Boards): readonly string[] => [
  truncate(actual),
  `  ${truncate(withoutSecrets(about))}${path === '' ? '' : `, ${truncate(path, 80)}`}`,
  ...linkLines(at, boards),
]
