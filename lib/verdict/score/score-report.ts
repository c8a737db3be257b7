import { formatCount } from '../../format'
import { wrap } from '../reports/terminal'
import { truncate } from '../text'
import { type Boards, boardLink, type Finding, positionText, type Verdict } from '../verdict'
import { INCOMPLETE_SCORE_NOTE, type ServiceScore } from './score'

const MAX_FINDINGS = 3

/** The scores for a terminal: per service its failed rules with findings, the passed ones, and those that are not judged. */
export function scoreReport(scores: readonly ServiceScore[], options: Boards & { readonly width?: number }): string {
  const { width = 80 } = options
  const blocks = scores.map((score) => [
    ...wrap('  ', `${truncate(score.service)}: ${scoreText(score)}`, width),
    ...failedLines(score, options, width),
    ...passedLines(score, width),
    ...notJudgedLines(score, width),
  ])
  const lines = [
    ['  Instrumentation Score, 0 to 100 per service'],
    ...(blocks.length === 0 ? [['  No service sent anything.']] : blocks),
    wrap('  ', INCOMPLETE_SCORE_NOTE, width),
  ]
  return `\n${lines.map((block) => block.join('\n')).join('\n\n')}\n`
}

/** `63.86, needs improvement` */
export const scoreText = ({ score, band }: Pick<ServiceScore, 'score' | 'band'>): string =>
  score === null || band === null ? 'no score, because no rule could be judged' : `${score}, ${band}`

type JudgedRule = ServiceScore['rules'][number]
type Of<Word extends Verdict['verdict']> = JudgedRule & {
  readonly verdict: Extract<Verdict, { readonly verdict: Word }>
}

const withVerdict = <Word extends Verdict['verdict']>(rules: readonly JudgedRule[], word: Word): readonly Of<Word>[] =>
  rules.filter((rule): rule is Of<Word> => rule.verdict.verdict === word)

const failedLines = ({ rules }: ServiceScore, boards: Boards, width: number): readonly string[] =>
  withVerdict(rules, 'fail').flatMap(({ id, title, impact, verdict }) => {
    const listed = verdict.findings.slice(0, MAX_FINDINGS)
    const more = verdict.found - listed.length
    return [
      ...wrap(
        '    ✗ ',
        `${id} ${title} (${impact}): ${formatCount(verdict.found)} of ${formatCount(verdict.judged)}`,
        width,
      ),
      ...listed.flatMap((finding) => findingLines(finding, boards, width)),
      ...(more > 0 ? [`        and ${formatCount(more)} more`] : []),
    ]
  })

function findingLines({ about, actual, expected, at }: Finding, boards: Boards, width: number): readonly string[] {
  const link = boardLink(at, boards)
  return [
    ...wrap('        ', `${truncate(about)}: ${truncate(actual)}; expected: ${expected}`, width),
    ...(link === null ? (at === null ? [] : [`          in ${positionText(at)}`]) : [`          open ${link}`]),
  ]
}

const passedLines = ({ rules }: ServiceScore, width: number): readonly string[] =>
  withVerdict(rules, 'pass').flatMap(({ id, title, impact, verdict }) =>
    wrap('    ✓ ', `${id} ${title} (${impact}): ${formatCount(verdict.judged)} checked`, width),
  )

/** Most rules of a service share one reason, such as that it sends no metrics. */
function notJudgedLines({ rules }: ServiceScore, width: number): readonly string[] {
  const ids = new Map<string, string[]>()
  for (const { id, verdict } of withVerdict(rules, 'incomplete'))
    ids.set(verdict.why, [...(ids.get(verdict.why) ?? []), id])
  return [...ids].flatMap(([why, all]) => wrap('    ? ', `not judged: ${all.join(', ')}. ${why}`, width))
}
