import { judgeLeaks, privacyRule } from '../rules/privacy'
import type { Case } from '../rules/rule'
import type { Finding } from '../verdict'
import type { Answer, Boards } from './answer'
import { openLines, paragraphs } from './explain'
import { cut, many } from './shown'
import { withoutSecrets } from './without-secrets'

const MOST_FINDINGS = 10

/** Has anything that was sent a secret in it? The rule `privacy`, as an expectation: rule and path, never the value. */
export function leaksNothing(given: Case, boards: Boards): Answer {
  const { title, fix: mend } = privacyRule
  const { verdict, all } = judgeLeaks(given)
  const toldNot = `${title}: that holds, and was not to hold`
  if (verdict.verdict === 'incomplete') return { verdict, told: `${title}: ${verdict.why}`, toldNot }
  if (verdict.verdict === 'pass') return { verdict, told: '', toldNot }
  const { found, findings } = verdict
  const told = findings.slice(0, MOST_FINDINGS)
  const more = found - told.length
  const secrets = [
    ...told.flatMap((finding) => secretLines(finding, boards)),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
  const kinds = all === found ? '' : ` of ${many(found, 'kind')}`
  const head = `${many(all, 'secret')}${kinds} ${all === 1 ? 'was' : 'were'} sent`
  return { verdict, told: paragraphs([[head], secrets, [mend]]), toldNot }
}

/** What kind it is, and where; what an item is called, and the names in a path, are the sender's. */
const secretLines = ({ about, at, path, actual }: Finding, boards: Boards): readonly string[] => [
  cut(actual),
  `  ${cut(withoutSecrets(about))}${path === '' ? '' : `, ${cut(path, 80)}`}`,
  ...openLines(at, boards),
]
